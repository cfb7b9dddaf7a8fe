// Memory for the activations and gradients of a step: one big block, cut first-fit, given back when
// the last handle on a tensor goes. Which address a tensor gets depends only on the order of
// allocations and frees, so a step that repeats that order repeats its addresses.
//
// Growth: an allocation that does not fit opens a further block. A planned arena
// (nn/train/memory_plan.h) does not grow in a steady step; blocks() shows it. On Device::meta()
// nothing is allocated and peak_bytes() is the plan. On CUDA a block is a plain allocation; on the
// CPU it is reserved address space, 2 MiB aligned, on huge pages where the system has them; a page
// costs memory once it is touched. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "core/tensor.h"

namespace xf {

class Arena {
 public:
  explicit Arena(Device device, int64_t first_block_bytes = kDefaultBlock);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // No tensor may end beyond so many bytes, as peak_bytes() counts them.
  void set_limit(int64_t bytes);

  // Uninitialised. The tensor keeps the arena's memory alive, even past the arena itself. Error
  // resources beyond the limit, and where there is no memory for a block.
  Tensor allocate(Shape shape, DType dtype);

  Device device() const;
  int64_t used_bytes() const;
  int64_t peak_bytes() const;  // the furthest end of a tensor so far, blocks one behind the other
  int blocks() const;

  static constexpr int64_t kDefaultBlock = 64ll << 20;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace xf
