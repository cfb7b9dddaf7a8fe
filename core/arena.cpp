#include "core/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <list>
#include <map>

#include "core/memory.h"

namespace xf {

namespace {

constexpr int64_t kGranule = 256;  // bytes; keeps rows of different tensors off each other's cache
                                   // lines
constexpr int64_t kHugePage = 2ll << 20;

int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Reserved address space: pages arrive when touched.
std::shared_ptr<void> reserve(int64_t bytes) {
  void* raw = mmap(nullptr, static_cast<size_t>(bytes + kHugePage), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED)
    fail(ErrorKind::resources, "out of memory: cannot reserve {} MB for activations", bytes >> 20);
  void* aligned = reinterpret_cast<void*>(round_up(reinterpret_cast<int64_t>(raw), kHugePage));
  madvise(aligned, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return {aligned, [raw, bytes](void*) { munmap(raw, static_cast<size_t>(bytes + kHugePage)); }};
}

}  // namespace

struct Arena::State {
  struct Block {
    std::shared_ptr<void> memory;     // null on meta
    int64_t begin, bytes;             // begin: of all blocks before it
    std::map<int64_t, int64_t> free;  // offset -> bytes, coalesced
  };

  Device device;
  std::list<Block> blocks;
  int64_t used = 0;
  int64_t peak = 0;
  int64_t limit = std::numeric_limits<int64_t>::max();

  void open_block(int64_t bytes) {
    // A meta arena is one block without end, so that its peak is that of a single block.
    if (device.type == DeviceType::meta) bytes = int64_t{1} << 60;
    const int64_t begin = blocks.empty() ? 0 : blocks.back().begin + blocks.back().bytes;
    blocks.push_back({device.type == DeviceType::cpu ? reserve(bytes) : memory::allocate(device, bytes),
                      begin,
                      bytes,
                      {{0, bytes}}});
  }

  // Before memory is taken that nothing could lie in.
  void check_limit(int64_t end) const {
    if (end > limit)
      fail(ErrorKind::resources, "out of memory: the activations' limit is {} MB; raise --workspace",
           limit >> 20);
  }

  // First fit: the lowest offset of the first block with room.
  std::pair<Block*, int64_t> take(int64_t bytes) {
    for (Block& block : blocks) {
      for (auto it = block.free.begin(); it != block.free.end(); ++it) {
        if (it->second < bytes) continue;
        const auto [offset, room] = *it;
        check_limit(block.begin + offset + bytes);
        block.free.erase(it);
        if (room > bytes) block.free.emplace(offset + bytes, room - bytes);
        used += bytes;
        peak = std::max(peak, block.begin + offset + bytes);
        return {&block, offset};
      }
    }
    const int64_t end = blocks.empty() ? 0 : blocks.back().begin + blocks.back().bytes,
                  last = blocks.empty() ? 0 : blocks.back().bytes;
    check_limit(end + bytes);
    open_block(std::max(round_up(bytes, kHugePage), std::min(last, limit - end)));
    return take(bytes);
  }

  void give_back(Block& block, int64_t offset, int64_t bytes) {
    used -= bytes;
    auto next = block.free.lower_bound(offset);
    if (next != block.free.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = block.free.erase(next);
    }
    if (next != block.free.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += bytes;
        return;
      }
    }
    block.free.emplace(offset, bytes);
  }
};

Arena::Arena(Device device, int64_t first_block_bytes) : state_(std::make_shared<State>()) {
  state_->device = device;
  state_->open_block(round_up(std::max(first_block_bytes, kHugePage), kHugePage));
}

Arena::~Arena() = default;

Tensor Arena::allocate(Shape shape, DType dtype) {
  const int64_t bytes = std::max(round_up(shape.numel() * size_of(dtype), kGranule), kGranule);
  const auto [block, offset] = state_->take(bytes);
  char* data = block->memory ? static_cast<char*>(block->memory.get()) + offset : nullptr;
  std::shared_ptr<void> owner(data, [state = state_, block = block, offset = offset, bytes](void*) {
    state->give_back(*block, offset, bytes);
  });
  return Tensor(std::move(owner), data, shape, dtype, state_->device);
}

void Arena::set_limit(int64_t bytes) { state_->limit = bytes; }

Device Arena::device() const { return state_->device; }
int64_t Arena::used_bytes() const { return state_->used; }
int64_t Arena::peak_bytes() const { return state_->peak; }
int Arena::blocks() const { return static_cast<int>(state_->blocks.size()); }

}  // namespace xf
