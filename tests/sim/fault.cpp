// What a fault says: which kernel, which thread, who waits where.
#include "tests/sim/block.h"
#include "tests/sim/symbols.h"

namespace xf::sim {

namespace {

std::string to_string(uint3 v) { return fmt::format("({},{},{})", v.x, v.y, v.z); }

std::string whereabouts_of(const Thread& thread) {
  switch (thread.state) {
    case State::finished: return "ended";
    case State::at_barrier:
    case State::at_collective: return fmt::format("at {} {}", thread.waits_at, sim::to_string(thread.site));
    default: return "running";
  }
}

}  // namespace

std::string Block::who() const {
  return fmt::format("block {} thread {}", to_string(block_index), to_string(current->index));
}

// "threads 0-31 at __syncthreads softmax.cu:37; threads 32-63 ended"
std::string Block::whereabouts() const {
  constexpr size_t kLongEnough = 1000;
  std::string text;
  for (uint32_t first = 0; first < count_ && text.size() < kLongEnough;) {
    const std::string where = whereabouts_of(threads_[first]);
    uint32_t last = first;
    while (last + 1 < count_ && whereabouts_of(threads_[last + 1]) == where) ++last;
    text += fmt::format("{}threads {}-{} {}", text.empty() ? "" : "; ", first, last, where);
    first = last + 1;
  }
  return text;
}

void fault(const std::string& what) {
  if (!current) fail(ErrorKind::failure, "sim: {}", what);
  fail(ErrorKind::failure, "sim: {}: {}: {}", function_at(block().grid().kernel), block().who(), what);
}

}  // namespace xf::sim
