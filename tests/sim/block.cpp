#include "tests/sim/block.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/sim/settings.h"
#include "tests/sim/shared_memory.h"

namespace xf::sim {

Block::Block() : fibers_(&fiber_main) {}

uint64_t Block::random() {  // xorshift64
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

// What does not change from block to block of one size.
void Block::lay_out(dim3 size) {
  laid_out_ = size;
  count_ = size.x * size.y * size.z;
  threads_.resize(count_);
  warps_.resize(count_ / kWarp);
  for (uint32_t i = 0; i < warps_.size(); ++i) warps_[i].first = i * kWarp;
  for (uint32_t i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    thread.index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    thread.number = i;
    thread.lane = i % kWarp;
    thread.warp = &warps_[i / kWarp];
  }
}

void Block::prepare(uint3 index) {
  const dim3 size = grid_->block;
  if (size.x != laid_out_.x || size.y != laid_out_.y || size.z != laid_out_.z) lay_out(size);
  next_fresh_ = finished_ = at_barrier_ = 0;
  barrier_epoch_ = 1;
  predicates_ = 0;
  ready_.clear();
  ready_head_ = 0;
  ++serial_;
  block_index = index;
  for (Warp& warp : warps_) {
    warp.finished = warp.at_barrier = 0;
    warp.meetings_open = 0;
  }
  for (Thread& thread : threads_) {
    thread.state = State::fresh;
    thread.warp_epoch = 1;
    thread.copies.pending.clear();
    thread.copies.group = 0;
  }
  if (settings().schedule != Schedule::random) return;
  order_.resize(count_);
  std::iota(order_.begin(), order_.end(), 0u);
  for (uint32_t i = count_; i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

bool Block::is_own(const void* address) const {
  const auto within = [&](const void* begin, size_t bytes) {
    return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin) < bytes;
  };
  return fibers_.on_stack(address) || within(threads_.data(), threads_.size() * sizeof(Thread)) ||
         within(warps_.data(), warps_.size() * sizeof(Warp)) ||
         within(grid_->arguments, grid_->argument_bytes);
}

void Block::run(const Grid& grid, uint3 index, uint64_t seed) {
  grid_ = &grid;
  random_ = seed | 1;
  prepare(index);
  ++statistics.blocks;
  statistics.threads += count_;
  current = &threads_[0];
  open_shared_memory(grid.shared_bytes);
  Thread& first = *pick();
  resume(first);
  current = &threads_[0];
  try {
    if (!fault_ && after_block) after_block();
    if (!fault_) check_shared_memory();
  } catch (...) {
    fault_ = std::current_exception();
  }
  current = nullptr;
  if (!fault_) return;
  fibers_.reset();
  std::rethrow_exception(std::exchange(fault_, nullptr));
}

// Forward: released threads first, in their order, then the next fresh one: a warp stays in the
// cache. Reverse: the opposite order. Random: any.
Thread* Block::pick() {
  const bool any_ready = ready_head_ < ready_.size(), any_fresh = next_fresh_ < count_;
  if (!any_ready && !any_fresh) return nullptr;
  const Schedule schedule = settings().schedule;
  const bool take_ready = any_ready && (schedule != Schedule::random || !any_fresh || random() % 2 == 0);
  if (!take_ready) {
    const uint32_t i = next_fresh_++;
    return &threads_[schedule == Schedule::forward   ? i
                     : schedule == Schedule::reverse ? count_ - 1 - i
                                                     : order_[i]];
  }
  if (schedule == Schedule::forward) {
    Thread& thread = threads_[ready_[ready_head_++]];
    if (ready_head_ == ready_.size()) {
      ready_head_ = 0;
      ready_.clear();
    }
    return &thread;
  }
  if (schedule == Schedule::random) std::swap(ready_[random() % ready_.size()], ready_.back());
  Thread& thread = threads_[ready_.back()];
  ready_.pop_back();
  return &thread;
}

void Block::resume(Thread& thread) {
  current = &thread;
  if (thread.state == State::fresh) {
    thread.fiber = &fibers_.take();
    thread.fiber->work = &thread;
  }
  fibers_.switch_to(*thread.fiber);
}

void Block::release(Thread& thread) {
  thread.state = State::ready;
  ready_.push_back(thread.number);
}

void Block::wait(State state, const char* name, Site site) {
  Thread& self = *current;
  self.state = state;
  self.waits_at = name;
  self.site = site;
  ++statistics.waits;
  Thread* next = pick();
  if (!next) fault("deadlock: " + whereabouts());
  resume(*next);
  current = &self;
  self.state = State::running;
}

// Threads one after another, until one that was waiting can go on.
void Block::fiber_main(Fiber& fiber) {
  Block& b = block();
  for (;;) {
    Thread& thread = *static_cast<Thread*>(fiber.work);
    current = &thread;
    thread.fiber = &fiber;
    thread.state = State::running;
    Thread* next = nullptr;
    try {
      b.grid_->call(b.grid_->kernel, b.grid_->arguments);
      b.finish(thread);
      next = b.pick();
      if (!next && b.finished_ < b.count_) fault("deadlock: " + b.whereabouts());
    } catch (...) {
      b.fault_ = std::current_exception();
    }
    if (next && next->state == State::fresh) {
      fiber.work = next;
      continue;
    }
    b.fibers_.give_back(fiber);
    if (next) current = next;
    b.fibers_.switch_to(next ? *next->fiber : b.fibers_.host());
  }
}

void Block::finish(Thread& thread) {
  land_all_copies();
  thread.state = State::finished;
  thread.warp->finished |= 1u << thread.lane;
  ++finished_;
  for (int i = 0; i < thread.warp->meetings_open; ++i) {
    const Meeting& m = thread.warp->meetings[i];
    if (m.mask >> thread.lane & 1) {
      fault(fmt::format("ends while lanes {:#010x} wait for it at {} {}, mask {:#010x}", m.arrived, m.name,
                        to_string(m.site), m.mask));
    }
  }
  if (at_barrier_ > 0) {
    fault(fmt::format("ends while {} threads wait at __syncthreads {} (divergent barrier): {}", at_barrier_,
                      to_string(barrier_site_), whereabouts()));
  }
}

}  // namespace xf::sim
