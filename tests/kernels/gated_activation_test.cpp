// Expectations: the definition in f64 (kernels/plain/gated_activation.h), central differences,
// numbers by hand.
#include "kernels/gated_activation.h"

#include "tests/cases/gated_activation.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

const Target kCpu32{Device::cpu(), DType::f32}, kCpu64{Device::cpu(), DType::f64};

// gate and up, and their gradients, are the two halves of one matrix's columns, as in a fused
// projection.
struct Op {
  Op(int64_t N, int64_t F, const Target& t) {
    const Tensor inputs = t.random({N, 2 * F}, 1, -4, 4), gradients = t.poisoned({N, 2 * F});
    gate = inputs.slice_columns(0, F), up = inputs.slice_columns(F, 2 * F);
    dgate = gradients.slice_columns(0, F), dup = gradients.slice_columns(F, 2 * F);
    dy = t.random({N, F}, 2), y = t.poisoned({N, F});
  }
  void forward(Activation f) const { gated_activation_forward(gate, up, f, y); }
  void backward(Activation f) const { gated_activation_backward(dy, gate, up, f, dgate, dup); }
  void run(Activation f) const { forward(f), backward(f); }
  std::vector<Tensor> results() const { return {y, dgate, dup}; }
  Tensor gate, up, dy, y, dgate, dup;
};

}  // namespace

// GA0, GA1, GA2
TEST_CASE("GatedActivation: forward and backward match the definition", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const GatedActivationCase& c : gated_activation_cases()) {
      for (const Activation f : kActivations) {
        INFO(c.why << ", " << name_of(f) << ", " << name_of(t));
        const Op op(c.N, c.F, t);
        op.run(f);
        const auto expected = gated_activation_reference(f, c.N, c.F, as_doubles(op.gate), as_doubles(op.up),
                                                         as_doubles(op.dy));
        CHECK(max_relative_error(op.y, expected.y) < t.forward_tolerance());
        CHECK(max_relative_error(op.dgate, expected.dgate) < t.gradient_tolerance());
        CHECK(max_relative_error(op.dup, expected.dup) < t.gradient_tolerance());
      }
    }
  }
}

TEST_CASE("GatedActivation: gradients match central differences", "[grad]") {
  for (const Activation f : kActivations) {
    for (const auto& [N, F] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {31, 7}, {2, 33}, {1, 127}}) {
      const Op op(N, F, kCpu64);
      op.run(f);
      const auto loss = [&] {
        op.forward(f);
        return weighted_sum(op.y, op.dy);
      };
      INFO(name_of(f) << ", N " << N << ", F " << F);
      CHECK(gradient_error(loss, op.gate, op.dgate) < 1e-6);
      CHECK(gradient_error(loss, op.up, op.dup) < 1e-6);
    }
  }
}

// swish(ln 3) = 3/4 ln 3, its slope there 3/4 + 3/16 ln 3 (AC7, AC8); at 0 they are 0 and 1/2.
TEST_CASE("GatedActivation: SwiGLU at ln 3 and at 0 is that calculated by hand", "[golden][device]") {
  const double z = std::log(3.0);
  for (const Target& t : targets()) {
    const Tensor gate = t.tensor({z, 0}, {1, 2}), up = t.tensor({2, 5}, {1, 2}),
                 dy = t.tensor({4, 6}, {1, 2});
    const Tensor y = t.poisoned({1, 2}), dgate = t.poisoned({1, 2}), dup = t.poisoned({1, 2});
    gated_activation_forward(gate, up, Activation::swish, y);
    gated_activation_backward(dy, gate, up, Activation::swish, dgate, dup);
    CHECK(max_relative_error(y, {1.5 * z, 0}) < 2 * t.forward_tolerance());  // ln 3 is rounded, too
    CHECK(max_relative_error(dgate, {8 * (0.75 + z * 3 / 16), 15}) < t.gradient_tolerance());
    CHECK(max_relative_error(dup, {3 * z, 0}) < t.gradient_tolerance());
  }
}

TEST_CASE("GatedActivation: with up of ones it is the activation, and up scales it", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const Activation f : kActivations) {
      INFO(name_of(f) << ", " << name_of(t));
      const Tensor gate = t.random({5, 33}, 1, -3, 3), alone = t.poisoned({5, 33}), y = t.poisoned({5, 33});
      bias_activation_forward(gate, t.tensor(std::vector<double>(33, 0.0), {33}), f, {}, alone);
      gated_activation_forward(gate, t.tensor(std::vector<double>(165, 1.0), {5, 33}), f, y);
      CHECK(same_bits(y, alone));
      gated_activation_forward(gate, t.tensor(std::vector<double>(165, -2.0), {5, 33}), f, y);
      auto doubled = as_doubles(alone);
      for (double& element : doubled) element *= -2;
      CHECK(max_relative_error(y, doubled) < t.forward_tolerance());
    }
  }
}

TEST_CASE("GatedActivation: same bits at one and two threads, wherever the rows lie, and in place",
          "[unit][device]") {
  for (const Activation f : kActivations) {
    CHECK(same_bits_at_any_thread_count([&] {
      const Op op(301, 129, kCpu32);
      op.run(f);
      return op.results();
    }));
    for (const Target& t : targets()) {
      INFO(name_of(f) << ", " << name_of(t));
      const Op op(67, 136, t), in_place(67, 136, t), forward_alone(67, 136, t);
      Op odd(67, 136, t);
      for (Tensor* x : {&odd.gate, &odd.up, &odd.dy, &odd.y, &odd.dgate, &odd.dup}) *x = odd_view(*x);
      op.run(f), odd.run(f);
      gated_activation_backward(in_place.dy, in_place.gate, in_place.up, f, in_place.gate, in_place.up);
      gated_activation_forward(forward_alone.gate, forward_alone.up, f, forward_alone.up);
      for (size_t i = 0; i < op.results().size(); ++i) CHECK(same_bits(odd.results()[i], op.results()[i]));
      CHECK(same_bits(in_place.gate, op.dgate));
      CHECK(same_bits(in_place.up, op.dup));
      CHECK(same_bits(forward_alone.up, op.y));
    }
  }
}

TEST_CASE("GatedActivation: an empty batch and a meta tensor do nothing", "[unit][device]") {
  for (const Target& t : targets()) Op(0, 4, t).run(Activation::swish);
  const auto meta = [] { return Tensor::empty({2, 4}, DType::f32, Device::meta()); };
  gated_activation_forward(meta(), meta(), Activation::swish, meta());
}

TEST_CASE("GatedActivation: NaN and infinity are not hidden", "[unit][device]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Target& t : targets()) {
    for (const Activation f : kActivations) {
      const Tensor y = t.poisoned({1, 3});
      gated_activation_forward(t.tensor({nan, infinity, 1}, {1, 3}), t.tensor({1, 1, nan}, {1, 3}), f, y);
      CHECK(std::isnan(as_doubles(y)[0]));
      CHECK(std::isinf(as_doubles(y)[1]));
      CHECK(std::isnan(as_doubles(y)[2]));
    }
  }
}
