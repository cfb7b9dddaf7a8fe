#include "bench/external/kernel_host.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/external/shared_memory.h"
#include "bench/external/signature.h"
#include "bench/external/xformer_kernel.h"
#include "bench/free_shapes.h"
#include "bench/interleaved_timer.h"
#include "core/error.h"
#include "core/parallel.h"
#include "tools/console/nearest_name.h"

namespace xf::bench {

namespace {

using Json = nlohmann::json;
using Function = int (*)(const void* args);
static_assert(sizeof(xf_kernel_call) == 16 && kKernelVersion == XF_KERNEL_VERSION);

int32_t c_name_of(DType dtype) {
  return dtype == DType::f64 ? XF_F64 : dtype == DType::bf16 ? XF_BF16 : XF_F32;
}

DType dtype_called(const std::string& name) {
  return name == "f64" ? DType::f64 : name == "bf16" ? DType::bf16 : DType::f32;
}

// As many entries as the table of symbols has, which only the hash tables over it know.
size_t symbol_count(const uint32_t* gnu_hash) {
  const uint32_t buckets = gnu_hash[0], first = gnu_hash[1], bloom_words = gnu_hash[2];
  const uint32_t* const bucket = gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* const chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) last = std::max(last, bucket[i]);
  if (last < first) return first;
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

// What a library lacks, and what it has instead.
std::string without(const std::string& fn, void* library) {
  const std::vector<std::string> all = symbols_of(library);
  std::vector<std::string> plain;
  std::copy_if(all.begin(), all.end(), std::back_inserter(plain),
               [](const std::string& name) { return !name.starts_with('_'); });
  const bool mangled = std::any_of(all.begin(), all.end(), [&](const std::string& name) {
    return name.starts_with("_Z") && name.find(fn) != std::string::npos;
  });
  if (mangled)
    return fmt::format("it has a C++ function {}; declare it extern \"C\", or include xformer_kernel.h", fn);
  return fmt::format("it has no function {}{}; it has: {}", fn, tools::did_you_mean(fn, plain),
                     plain.empty() ? "none" : fmt::format("{}", fmt::join(plain, ", ")));
}

// The calls of one case, ready to be made.
class OpenCalls {
 public:
  OpenCalls(void* library, const Json& request)
      : signature_(find_signature(request.at("fn").get<std::string>())),
        memory_(SharedMemory::open(request.at("memory"), request.at("bytes"))) {
    XF_CHECK(signature_ != nullptr, "no kernel of yours can be {}", request.at("fn").dump());
    function_ = reinterpret_cast<Function>(dlsym(library, signature_->fn.c_str()));
    if (!function_) fail(ErrorKind::failure, "{}", without(signature_->fn, library));
    const DType dtype = dtype_called(request.at("dtype"));
    for (const Json& tensors : request.at("calls"))
      blocks_.push_back(block_of(dtype, tensors, request.at("sizes")));
  }

  // Seconds of all but the first.
  double run(const Json& request) {
    const std::vector<size_t> order = request.at("calls");
    for (size_t i = 0; i < order.size(); ++i) set_numbers(blocks_.at(order[i]), request.at("numbers").at(i));
    call(order.at(0));
    const double start = now();
    for (size_t i = 1; i < order.size(); ++i) call(order[i]);
    return now() - start;
  }

 private:
  // A struct xf_NAME_args: its head, then 8 bytes for each member.
  using Block = std::vector<uint64_t>;
  Block block_of(DType dtype, const Json& tensors, const Json& sizes) const {
    const xf_kernel_call head{XF_KERNEL_VERSION, c_name_of(dtype), c_name_of(accumulator_of(dtype)),
                              thread_count()};
    Block block(sizeof(head) / sizeof(uint64_t));
    std::memcpy(block.data(), &head, sizeof(head));
    for (const Json& tensor : tensors)
      block.push_back(reinterpret_cast<uint64_t>(memory_.data() + tensor.at("at").get<int64_t>()));
    for (const std::string& size : sizes_of(signature_->fn)) block.push_back(sizes.at(size).get<uint64_t>());
    block.resize(block.size() + signature_->numbers.size());
    return block;
  }
  void set_numbers(Block& block, const Json& numbers) const {
    uint64_t* slot = block.data() + block.size() - signature_->numbers.size();
    for (const Number& number : signature_->numbers) {
      const double value = numbers.at(number.name);
      *slot++ = number.whole ? static_cast<uint64_t>(value) : std::bit_cast<uint64_t>(value);
    }
  }
  void call(size_t i) const {
    const int code = function_(blocks_[i].data());
    if (code != 0) fail(ErrorKind::failure, "{} returned {}", signature_->fn, code);
  }
  const Signature* signature_;
  SharedMemory memory_;
  Function function_ = nullptr;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<std::string> symbols_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const uint32_t* hash = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const uint32_t*>(entry->d_un.d_ptr);
  }
  if (!symbols || !strings || !hash) return {};
  std::vector<std::string> names;
  const size_t count = symbol_count(hash);
  for (size_t i = 0; i < count; ++i) {
    if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF)
      names.emplace_back(strings + symbols[i].st_name);
  }
  return names;
}

void host_kernel(const std::string& path, std::istream& requests, std::ostream& answers) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string why_not = library ? "" : dlerror();
  std::unique_ptr<OpenCalls> calls;
  for (std::string line; std::getline(requests, line);) {
    Json answer;
    try {
      if (!library) fail(ErrorKind::failure, "it cannot be loaded: {}", why_not);
      const std::string word = line.substr(0, line.find(' '));
      const Json request = Json::parse(line.substr(word.size()));
      if (word == "open") {
        calls.reset();  // its memory first
        calls = std::make_unique<OpenCalls>(library, request);
        answer["ready"] = "";
      } else {
        XF_CHECK(calls != nullptr, "'open' comes before '{}'", word);
        answer["seconds"] = calls->run(request);
      }
    } catch (const std::exception& error) {
      answer = {{"refused", error.what()}};
    }
    answers << answer.dump() << std::endl;
  }
}

}  // namespace xf::bench
