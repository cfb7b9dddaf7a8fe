// Fibers: stacks that hand each other the processor. One per CUDA thread that has blocked;
// Boost.Context does the switch (some 5 ns), AddressSanitizer is told where it has one. It is the
// library's inner fcontext: a boost::context::fiber that goes unwinds its stack by an exception,
// and after a failure there is nothing to unwind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xf::sim {

struct Fiber {
  void* context = nullptr;
  char* stack = nullptr;  // lowest address; null: the stack of the host's thread
  size_t bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
  void* work = nullptr;        // what main() is to start with
};

class Fibers {
 public:
  // Every fiber runs main(fiber), which never returns.
  explicit Fibers(void (*main)(Fiber&)) : main_(main) {}

  // A fiber at the start of main() or at the switch away from its last work.
  Fiber& take();
  void give_back(Fiber& fiber) { free_.push_back(&fiber); }
  // After a failure: every fiber starts anew; what was on the stacks is forgotten, not unwound.
  void reset();

  void switch_to(Fiber& fiber);
  Fiber& host() { return host_; }
  bool on_stack(const void* address) const {
    return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(slab_) < slab_bytes_;
  }

 private:
  struct Entry;
  void add();
  void arrived(void* context_of_previous);
  void prepare(size_t number);

  void (*main_)(Fiber&);
  std::vector<Fiber> fibers_;
  std::vector<Fiber*> free_;
  Fiber host_;
  Fiber* running_ = &host_;
  Fiber* previous_ = nullptr;
  char* slab_ = nullptr;
  size_t slab_bytes_ = 0;
};

}  // namespace xf::sim
