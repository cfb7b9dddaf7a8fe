#include "tests/sim/fiber.h"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>

#include "core/error.h"
#include "tests/sim/asan.h"

namespace xf::sim {

namespace {

namespace context = boost::context::detail;

constexpr size_t kMostFibers = 1024;  // threads of a block
constexpr size_t kStack = XF_SIM_ASAN ? 256 << 10 : 64 << 10;
constexpr size_t kGuard = 4096;

Fibers* instance = nullptr;

}  // namespace

// Where a fiber starts.
struct Fibers::Entry {
  static void main(context::transfer_t from) {
    instance->arrived(from.fctx);
    instance->main_(*static_cast<Fiber*>(from.data));
  }
};

void Fibers::add() {
  instance = this;
  if (!slab_) {
    fibers_.reserve(kMostFibers);
    slab_bytes_ = kMostFibers * (kStack + kGuard);
    slab_ = static_cast<char*>(mmap(nullptr, slab_bytes_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (slab_ == MAP_FAILED)
      fail(ErrorKind::resources, "sim: no memory for the stacks of {} fibers", kMostFibers);
  }
  XF_CHECK(fibers_.size() < kMostFibers, "sim: more than {} threads of a block wait", kMostFibers);
  char* base = slab_ + fibers_.size() * (kStack + kGuard);
  mprotect(base, kGuard, PROT_NONE);
  Fiber& fiber = fibers_.emplace_back();
  fiber.stack = base + kGuard;
  fiber.bytes = kStack;
  prepare(fibers_.size() - 1);
}

// The stacks' tops differ by some cache lines: all at one offset from a page, they would share one
// set of the L1 cache.
void Fibers::prepare(size_t number) {
  Fiber& fiber = fibers_[number];
  const size_t colour = number * 320 % 8192;
  fiber.fake_stack = nullptr;
  fiber.context = context::make_fcontext(fiber.stack + kStack - colour, kStack - colour, Entry::main);
  free_.push_back(&fiber);
}

Fiber& Fibers::take() {
  if (free_.empty()) add();
  Fiber& fiber = *free_.back();
  free_.pop_back();
  return fiber;
}

void Fibers::reset() {
  free_.clear();
  running_ = &host_;
  for (size_t number = fibers_.size(); number-- > 0;) {
    asan_unpoison(fibers_[number].stack, kStack);
    prepare(number);
  }
}

void Fibers::switch_to(Fiber& fiber) {
  previous_ = running_;
  running_ = &fiber;
  asan_leave_stack(&previous_->fake_stack, fiber.stack, fiber.bytes);
  arrived(context::jump_fcontext(fiber.context, &fiber).fctx);
}

// On the stack that was switched to.
void Fibers::arrived(void* context_of_previous) {
  previous_->context = context_of_previous;
  const void* stack = nullptr;
  size_t bytes = 0;
  asan_enter_stack(running_->fake_stack, &stack, &bytes);
  if (previous_ != &host_) return;
  host_.stack = const_cast<char*>(static_cast<const char*>(stack));
  host_.bytes = bytes;
}

}  // namespace xf::sim
