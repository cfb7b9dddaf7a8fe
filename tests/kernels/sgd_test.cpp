// Expectations: the plain kernel in f64 (tests/cases/sgd.h), and a calculation by hand.
#include "kernels/sgd.h"

#include <limits>

#include "kernels/adam.h"
#include "tests/cases/sgd.h"
#include "tests/support/catch.h"
#include "tests/support/masters.h"
#include "tests/support/odd_view.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::SgdOptions;

namespace {

const Target kF32{Device::cpu(), DType::f32};

struct Op {
  SgdOptions options;
  Tensor p, m, g, norm_squared, rounded;

  Op(int64_t P, const Target& t, const SgdOptions& sgd_options = {}) : options(sgd_options) {
    p = t.random({P}, 1), m = Tensor::zeros({P}, t.dtype, t.device),
    g = Tensor::zeros({P}, t.dtype, t.device);
    norm_squared = poisoned({1}, DType::f64, t.device);
    rounded = poisoned({P}, DType::bf16, t.device);
  }
  void update(const std::vector<double>& gradient, float learning_rate, float tokens, float clip_norm) const {
    g.copy_from(tensor_of(gradient, g.shape(), g.dtype()));
    const Tensor step = Tensor::from(std::vector<float>{learning_rate, 1 / tokens});
    kernels::sum_of_squares(g, norm_squared);
    kernels::sgd(options, step.to(g.device()), clip_norm, norm_squared, p, m, g, rounded);
  }
};

}  // namespace

// SG1, SG2, SG3
TEST_CASE("Sgd: five updates match the equations, with momentum, decay and clipping", "[unit][device]") {
  for (const Target& target : master_targets()) {
    for (const AdamCase& c : adam_cases()) {
      for (const SgdOptions& options :
           {SgdOptions{}, {.momentum = 0.9f}, {.momentum = 0.5f, .weight_decay = 0.1f}}) {
        for (const float clip_norm : {0.0f, 0.5f, 1e6f}) {
          const Op op(c.P, target, options);
          SgdState expected{as_doubles(op.p), as_doubles(op.m)};
          for (uint64_t t = 1; t <= 5; ++t) {
            const auto gradient = random_values(c.P, 10 + t, -64, 64);
            op.update(gradient, 0.01f, 64, clip_norm);
            sgd_reference(options, static_cast<double>(0.01f), 64, static_cast<double>(clip_norm), gradient,
                          expected);
          }
          INFO(c.why << ", " << name_of(target) << ", momentum " << options.momentum << ", clip "
                     << clip_norm);
          CHECK(max_relative_error(op.p, expected.p) < tolerance(target.dtype));
          CHECK(max_relative_error(op.m, expected.m) < tolerance(target.dtype));
          CHECK((as_doubles(op.g) == std::vector<double>(static_cast<size_t>(c.P), 0.0)));
          CHECK((as_doubles(op.rounded) == rounded_to_bf16(op.p)));
        }
      }
    }
  }
}

TEST_CASE("Sgd: three updates calculated by hand, one of them clipped", "[golden][device]") {
  // Gradients 8, 24 and 8 over 4 tokens: 2, 6 and 2; a norm of at most 3 cuts the second to 3.
  // m = 2, 0.5 * 2 + 3 = 4, 0.5 * 4 + 2 = 4; at rate 1/4, p = 10 - 1/2 - 1 - 1.
  for (const Target& target : master_targets()) {
    const Op op(1, target, {.momentum = 0.5f});
    op.p.copy_from(target.tensor({10}, {1}));
    op.update({8}, 0.25f, 4, 3);
    CHECK(as_doubles(op.p)[0] == 9.5);
    op.update({24}, 0.25f, 4, 3);
    CHECK(as_doubles(op.m)[0] == 4);
    op.update({8}, 0.25f, 4, 3);
    CHECK(as_doubles(op.m)[0] == 4);
    CHECK(as_doubles(op.p)[0] == 7.5);
  }
}

TEST_CASE("Sgd: decay is added to the gradient, and so to the momentum", "[golden][device]") {
  // Gradient 1, p = 8, decay 1/4: 3. At rate 1/2, p = 6.5; then 1 + 6.5/4 more than the half of 3.
  for (const Target& target : master_targets()) {
    const Op op(1, target, {.momentum = 0.5f, .weight_decay = 0.25f});
    op.p.copy_from(target.tensor({8}, {1}));
    op.update({1}, 0.5f, 1, 0);
    CHECK(as_doubles(op.p)[0] == 6.5);
    op.update({1}, 0.5f, 1, 0);
    CHECK(as_doubles(op.m)[0] == 1.5 + 1 + 1.625);
  }
}

TEST_CASE("Sgd: more parameters than the threads of a grid take at a time, and arrays that begin anywhere",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    const int64_t P = (1 << 21) + 9;
    Op op(P, target, {.momentum = 0.9f}), unaligned(P, target, {.momentum = 0.9f});
    for (Tensor* tensor : {&unaligned.p, &unaligned.m, &unaligned.g, &unaligned.rounded})
      *tensor = odd_view(*tensor);
    SgdState expected{as_doubles(op.p), as_doubles(op.m)};
    const auto gradient = random_values(P, 11);
    op.update(gradient, 0.5f, 1, 1);
    unaligned.update(gradient, 0.5f, 1, 1);
    sgd_reference(op.options, 0.5, 1, 1, gradient, expected);
    CHECK(max_relative_error(op.p, expected.p) < tolerance(DType::f32));
    CHECK(max_relative_error(unaligned.p, expected.p) < tolerance(DType::f32));
    // ((: not to be printed
    CHECK((as_doubles(unaligned.rounded) == rounded_to_bf16(unaligned.p)));
    if (target.device == Device::cpu())
      continue;  // there vector loops begin where the memory
                 // allows
    CHECK(same_bits(op.p, unaligned.p));
    CHECK(same_bits(op.rounded, unaligned.rounded));
  }
}

TEST_CASE("Sgd: a NaN or infinite gradient changes nothing but the gradient, which is zeroed",
          "[unit][device]") {
  for (const Target& target : master_targets()) {
    for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      const Op op(40, target, {.momentum = 0.9f, .weight_decay = 0.1f});
      op.update(random_values(40, 3), 0.1f, 1, 0);
      const auto p = as_doubles(op.p), m = as_doubles(op.m), rounded = as_doubles(op.rounded);
      auto gradient = random_values(40, 4);
      gradient[17] = poison;
      op.update(gradient, 0.1f, 1, 1);
      CHECK(as_doubles(op.p) == p);
      CHECK(as_doubles(op.m) == m);
      CHECK(as_doubles(op.rounded) == rounded);
      CHECK(as_doubles(op.g) == std::vector<double>(40, 0.0));
    }
  }
}

TEST_CASE("Sgd: same bits at any number of threads, and twice", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op(70001, kF32, {.momentum = 0.9f, .weight_decay = 0.1f});
    for (int t = 1; t <= 2; ++t) op.update(random_values(70001, 5), 0.01f, 7, 1);
    return std::vector<Tensor>{op.p, op.m};
  }));
}

TEST_CASE("Sgd: bf16 is refused for what is trained", "[unit][device]") {
  for (const Target& target : targets()) {
    if (target.dtype != DType::bf16) continue;
    const Op op(4, target);
    const Tensor step = Tensor::zeros({2}, DType::f32, target.device);
    CHECK_THROWS_WITH(kernels::sgd({}, step, 0, op.norm_squared, op.p, op.m, op.g),
                      bf16_refused("sgd", target.device));
  }
}

TEST_CASE("Sgd: takes no parameters at all", "[unit]") { Op(0, kF32).update({}, 0.1f, 1, 1); }
