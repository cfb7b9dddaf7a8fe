#include <limits>

#include "tests/cases/adam.h"
#include "tests/support/catch.h"
#include "tests/support/masters.h"
#include "tests/support/odd_view.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::AdamOptions;
using xf::kernels::sum_of_squares;

namespace {

const Target kF32{Device::cpu(), DType::f32};

struct Op {
  AdamOptions options;
  Tensor p, m, v, g, norm_squared, rounded;

  Op(int64_t P, const Target& t, const AdamOptions& adam_options = {}) : options(adam_options) {
    p = t.random({P}, 1);
    m = Tensor::zeros({P}, t.dtype, t.device), v = Tensor::zeros({P}, t.dtype, t.device);
    g = Tensor::zeros({P}, t.dtype, t.device);
    norm_squared = poisoned({1}, DType::f64, t.device);
    rounded = poisoned({P}, DType::bf16, t.device);
  }
  // Update number t.
  void update(const std::vector<double>& gradient, float learning_rate, int t, float tokens,
              float clip_norm) const {
    g.copy_from(tensor_of(gradient, g.shape(), g.dtype()));
    const double beta1 = options.beta1, beta2 = options.beta2;
    const Tensor step =
        Tensor::from(std::vector<float>{learning_rate, static_cast<float>(1 - std::pow(beta1, t)),
                                        static_cast<float>(1 - std::pow(beta2, t)), 1 / tokens});
    sum_of_squares(g, norm_squared);
    kernels::adam(options, step.to(g.device()), clip_norm, norm_squared, p, m, v, g, rounded);
  }
};

}  // namespace

// AD1, AD2, AD3, AD4
TEST_CASE("Adam: five updates match the paper's algorithm, with L2, decoupled decay and clipping",
          "[unit][device]") {
  const AdamOptions plain, decoupled{.weight_decay = 0.1f}, l2{.weight_decay = 0.1f, .decoupled = false};
  for (const Target& target : master_targets()) {
    const DType dtype = target.dtype;
    for (const AdamCase& c : adam_cases()) {
      for (const AdamOptions& options : {plain, decoupled, l2}) {
        for (const float clip_norm : {0.0f, 0.5f, 1e6f}) {
          const Op op(c.P, target, options);
          AdamState expected{as_doubles(op.p), as_doubles(op.m), as_doubles(op.v)};
          for (int t = 1; t <= 5; ++t) {
            const auto gradient = random_values(c.P, static_cast<uint64_t>(10 + t), -64, 64);
            op.update(gradient, 0.01f, t, 64, clip_norm);
            adam_reference(options, static_cast<double>(0.01f), t, 64, clip_norm, gradient, expected);
          }
          INFO(c.why << ", " << name_of(target) << ", decay " << options.weight_decay << ", clip "
                     << clip_norm);
          // The step's scalars (1 - beta^t) are f32 also for f64 parameters.
          const double limit = dtype == DType::f64 ? 1e-7 : tolerance(dtype);
          CHECK(max_relative_error(op.p, expected.p) < limit);
          CHECK(max_relative_error(op.m, expected.m) < limit);
          CHECK(max_relative_error(op.v, expected.v) < limit);
          CHECK((as_doubles(op.g) == std::vector<double>(static_cast<size_t>(c.P), 0.0)));
          CHECK((as_doubles(op.rounded) == rounded_to_bf16(op.p)));
        }
      }
    }
  }
}

TEST_CASE("Adam: more parameters than the threads of a grid take at a time, and arrays that begin anywhere",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    const int64_t P = (1 << 21) + 9;
    Op op(P, target), unaligned(P, target);
    for (Tensor* tensor : {&unaligned.p, &unaligned.m, &unaligned.v, &unaligned.g, &unaligned.rounded}) {
      *tensor = odd_view(*tensor);
    }
    AdamState expected{as_doubles(op.p), as_doubles(op.m), as_doubles(op.v)};
    const auto gradient = random_values(P, 11);
    op.update(gradient, 0.5f, 1, 1, 1);
    unaligned.update(gradient, 0.5f, 1, 1, 1);
    adam_reference(op.options, 0.5, 1, 1, 1, gradient, expected);
    CHECK(max_relative_error(op.p, expected.p) < tolerance(DType::f32));
    CHECK(max_relative_error(unaligned.p, expected.p) < tolerance(DType::f32));
    // ((: not to be printed
    CHECK((as_doubles(unaligned.rounded) == rounded_to_bf16(unaligned.p)));
    if (target.device == Device::cpu())
      continue;  // there vector loops begin where the memory
                 // allows
    CHECK(same_bits(op.norm_squared, unaligned.norm_squared));
    CHECK(same_bits(op.p, unaligned.p));
    CHECK(same_bits(op.rounded, unaligned.rounded));
  }
}

TEST_CASE("Adam: the first update moves each parameter by the learning rate against its gradient's sign",
          "[unit][device]") {
  // t = 1: m-hat = g, v-hat = g^2, so the step is lr * g / (|g| + eps).
  for (const Target& target : master_targets()) {
    const Op op(3, target);
    const auto before = as_doubles(op.p);
    op.update({2, -3, 0.5}, 0.25f, 1, 1, 0);
    const auto after = as_doubles(op.p);
    CHECK(after[0] - before[0] == Approx(-0.25).epsilon(1e-6));
    CHECK(after[1] - before[1] == Approx(0.25).epsilon(1e-6));
    CHECK(after[2] - before[2] == Approx(-0.25).epsilon(1e-6));
  }
}

TEST_CASE("Adam: a NaN or infinite gradient changes nothing but the gradient, which is zeroed",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const Op op(40, target);
      op.update(random_values(40, 3), 0.1f, 1, 1, 0);
      const auto p = as_doubles(op.p), m = as_doubles(op.m), v = as_doubles(op.v),
                 rounded = as_doubles(op.rounded);
      auto gradient = random_values(40, 4);
      gradient[17] = poison;
      op.update(gradient, 0.1f, 2, 1, 1);
      CHECK(as_doubles(op.p) == p);
      CHECK(as_doubles(op.m) == m);
      CHECK(as_doubles(op.v) == v);
      CHECK(as_doubles(op.rounded) == rounded);
      CHECK(as_doubles(op.g) == std::vector<double>(40, 0.0));
    }
  }
}

TEST_CASE("SumOfSquares: is exact on integers, and f64 whatever the dtype", "[unit][device]") {
  // 70001 ones and one 4096: f32 would lose the ones beside 2^24.
  for (const Target& target : master_targets()) {
    std::vector<double> values(70002, 1.0);
    values[0] = 4096;
    const Tensor g = target.tensor(values, {70002}), sum = poisoned({1}, DType::f64, target.device);
    for (const Tensor& place : {g, odd_view(g)}) {
      sum_of_squares(place, sum);
      CHECK(as_doubles(sum)[0] == 4096.0 * 4096.0 + 70001);
    }
  }
}

TEST_CASE("Adam: bf16 is refused for what is trained", "[unit][device]") {
  for (const Target& target : targets()) {
    if (target.dtype != DType::bf16) continue;
    const Op op(4, target);
    const Tensor step = Tensor::zeros({4}, DType::f32, target.device);
    CHECK_THROWS_WITH(sum_of_squares(op.g, op.norm_squared), bf16_refused("sum_of_squares", target.device));
    CHECK_THROWS_WITH(kernels::adam({}, step, 0, op.norm_squared, op.p, op.m, op.v, op.g),
                      bf16_refused("adam", target.device));
  }
}

TEST_CASE("Adam: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op(70001, kF32, {.weight_decay = 0.1f});
    for (int t = 1; t <= 2; ++t) op.update(random_values(70001, 5), 0.01f, t, 7, 1);
    return std::vector<Tensor>{op.p, op.m, op.v, op.norm_squared};
  }));
}
