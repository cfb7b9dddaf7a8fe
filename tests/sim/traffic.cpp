// Counts what each node of a replayed graph reads and writes: every 32 bytes of the device's memory
// that it touches, once, the least that it moves where nothing is cached from the node before.
// XF_SIM_TRAFFIC=PATH: a line "node TAB bytes read TAB bytes written" for each node, in the order
// of replay. A product is what cuBLASLt is asked for, however many kernels that may be.
#include <cstdint>
#include <fstream>
#include <string>
#include <unordered_map>

#include "core/error.h"
#include "tests/sim/block.h"
#include "tests/sim/instrumented.h"
#include "tests/sim/memory.h"
#include "tests/sim/settings.h"
#include "tests/sim/stream.h"
#include "tests/sim/symbols.h"

namespace xf::sim {

namespace {

constexpr uintptr_t kSector = 32, kPage = 64 * kSector;

// Which sectors: a bit each, by pages.
class Sectors {
 public:
  void add(uintptr_t begin, size_t bytes) {
    for (uintptr_t at = begin / kSector; at <= (begin + bytes - 1) / kSector; ++at) {
      const uintptr_t page = at * kSector / kPage;
      if (page != last_page_) {
        last_page_ = page;
        last_ = &pages_[page];
      }
      *last_ |= uint64_t{1} << (at % (kPage / kSector));
    }
  }
  uint64_t bytes() const {
    uint64_t sectors = 0;
    for (const auto& [page, bits] : pages_) sectors += static_cast<uint64_t>(__builtin_popcountll(bits));
    return kSector * sectors;
  }
  void clear() { *this = {}; }

 private:
  std::unordered_map<uintptr_t, uint64_t> pages_;
  uintptr_t last_page_ = UINTPTR_MAX;
  uint64_t* last_ = nullptr;
};

const Node* counted = nullptr;  // the node that runs
Sectors read, written;

std::string name_of(const What& what) {
  switch (what.type) {
    case cudaGraphNodeTypeMemcpy: return "copy";
    case cudaGraphNodeTypeMemset: return "fill";
    case cudaGraphNodeTypeHost: return "host";
    case cudaGraphNodeTypeKernel: break;
  }
  const std::string* const of_library = name_at(what.kernel);
  return of_library ? *of_library : function_at(what.kernel);
}

void write_line() {
  static std::ofstream file(settings().traffic, std::ios::app);
  file << name_of(counted->what) << '\t' << read.bytes() << '\t' << written.bytes() << std::endl;
  if (!file) fail(ErrorKind::failure, "sim: cannot write {}", settings().traffic);
}

void next_node(const Node* node) {
  if (settings().traffic.empty()) return;
  if (counted) write_line();
  read.clear();
  written.clear();
  counted = node;
}

void count(const void* address, size_t bytes, Access access) {
  if (!counted || !memory::in_slab(address)) return;
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if (access == Access::read || access == Access::atomic) read.add(begin, bytes);
  if (access == Access::write || access == Access::atomic) written.add(begin, bytes);
}

const bool installed = [] {
  observer = [](const void* address, size_t bytes, Access access, Site) { count(address, bytes, access); };
  before_node = next_node;
  return true;
}();

}  // namespace

void access(const void* address, size_t bytes, Access access, const void*) { count(address, bytes, access); }

}  // namespace xf::sim
