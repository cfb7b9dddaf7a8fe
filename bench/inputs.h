// The tensors of a call: random, never zero where time could depend on it, and the same on every
// machine. They come from an arena, on huge pages where the system has them, as a step's do; or
// from elsewhere.
#pragma once

#include <functional>
#include <vector>

#include "core/arena.h"
#include "tests/support/targets.h"

namespace xf::bench {

class Inputs {
 public:
  using Allocate = std::function<Tensor(Shape, DType)>;
  Inputs(const tests::Target& target, Arena& arena)
      : Inputs(
            target, [&arena](Shape shape, DType dtype) { return arena.allocate(shape, dtype); }, 1) {}
  // Another seed, other values.
  Inputs(const tests::Target& target, Allocate allocate, uint64_t seed)
      : target_(target), allocate_(std::move(allocate)), seed_(seed) {}

  // Uniform in [low, high), in the target's type; each from a random stream of its own.
  Tensor random(Shape shape, float low = -1, float high = 1);
  // The same in the accumulator's type.
  Tensor random_sums(Shape shape, float low = -1, float high = 1);
  Tensor random_of(DType dtype, Shape shape, float low = -1, float high = 1);
  // What is accumulated into, in the accumulator's type.
  Tensor zero_sums(Shape shape);
  Tensor zeros(Shape shape, DType dtype);
  // What is written: NaN, so that an element that is forgotten shows in the check.
  Tensor poisoned(Shape shape);
  Tensor poisoned_sums(Shape shape);
  Tensor ids(const std::vector<int32_t>& values) {
    return ids(values, {static_cast<int64_t>(values.size())});
  }
  Tensor ids(const std::vector<int32_t>& values, Shape shape);

  const tests::Target& target() const { return target_; }

 private:
  Tensor filled(DType dtype, Shape shape, const std::vector<float>& values);
  Tensor not_a_number(Shape shape, DType dtype);
  tests::Target target_;
  Allocate allocate_;
  uint64_t seed_, stream_ = 0;
};

}  // namespace xf::bench
