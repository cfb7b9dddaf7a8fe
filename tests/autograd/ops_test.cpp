// Every primitive op against central differences in f64.
#include "autograd/ops.h"

#include "kernels/rotary.h"
#include "tests/cases/dropout_factor.h"
#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/differentiate.h"

using namespace xf;
using namespace xf::autograd;
using kernels::Transpose;
using tests::Function;
using tests::Ids;
using tests::Variables;
using tests::worst_gradient_error;

namespace {

constexpr double kTolerance = 1e-6;

Tensor random(Shape shape, uint64_t seed) { return tests::random_tensor(shape, DType::f64, seed); }

struct Size {
  int64_t rows, columns;
};
const Size kSizes[] = {{1, 1}, {1, 7}, {7, 1}, {5, 31}, {33, 3}};

}  // namespace

TEST_CASE("matmul: gradients under every transposition", "[grad]") {
  const auto ta = GENERATE(Transpose::no, Transpose::yes);
  const auto tb = GENERATE(Transpose::no, Transpose::yes);
  for (const auto& [M, K, N] : {std::tuple{1, 1, 1}, {1, 7, 31}, {5, 3, 2}, {33, 1, 3}}) {
    const Tensor a = random(ta == Transpose::no ? Shape{M, K} : Shape{K, M}, 1);
    const Tensor b = random(tb == Transpose::no ? Shape{K, N} : Shape{N, K}, 2);
    const Function f = [&](Tape& tape, const Variables& x) { return matmul(tape, x[0], ta, x[1], tb); };
    CHECK(worst_gradient_error(f, {a, b}) <= kTolerance);
  }
}

TEST_CASE("matmul: a product of a matrix with itself adds both sides", "[grad]") {
  const auto [ta, tb] =
      GENERATE(std::pair{Transpose::no, Transpose::yes}, std::pair{Transpose::yes, Transpose::no});
  const Function f = [ta = ta, tb = tb](Tape& tape, const Variables& x) {
    return matmul(tape, x[0], ta, x[0], tb);
  };
  CHECK(worst_gradient_error(f, {random({5, 3}, 3)}) <= kTolerance);
}

TEST_CASE("add and scale and add_bias: gradients", "[grad]") {
  for (const auto& [N, D] : kSizes) {
    const std::vector<Tensor> two{random({N, D}, 1), random({N, D}, 2)};
    CHECK(worst_gradient_error([](Tape& t, const Variables& x) { return add(t, x[0], x[1]); }, two) <=
          kTolerance);
    CHECK(worst_gradient_error([](Tape& t, const Variables& x) { return scale(t, x[0], -1.5f); }, {two[0]}) <=
          kTolerance);
    CHECK(worst_gradient_error([](Tape& t, const Variables& x) { return add_bias(t, x[0], x[1]); },
                               {two[0], random({D}, 3)}) <= kTolerance);
  }
}

TEST_CASE("masked_fill: what was filled has no gradient", "[grad]") {
  for (const auto& [N, D] : kSizes) {
    Ids allowed;
    for (const double value : tests::random_values(N * D, 7)) allowed.push_back(value > 0);
    const Tensor mask = Tensor::from(allowed, {N, D});
    const Function f = [&](Tape& t, const Variables& x) { return masked_fill(t, x[0], mask, -3); };
    CHECK(worst_gradient_error(f, {random({N, D}, 1)}) <= kTolerance);
  }
}

TEST_CASE("gather_rows: the gradient goes back to the rows that were taken", "[grad]") {
  for (const auto& [N, D] : kSizes) {
    Ids rows, places;
    for (int64_t n = 0; n < N; ++n) places.push_back(n % 3 == 1 ? -1 : static_cast<int32_t>(N + 1 - n));
    for (int64_t place = 0; place < N + 2; ++place) {
      const auto row = std::find(places.begin(), places.end(), place);
      rows.push_back(row == places.end() ? -1 : static_cast<int32_t>(row - places.begin()));
    }
    const Function f = [&](Tape& t, const Variables& x) {
      return gather_rows(t, x[0], Tensor::from(rows), Tensor::from(places));
    };
    CHECK(worst_gradient_error(f, {random({N, D}, 1)}) <= kTolerance);
  }
}

TEST_CASE("bias_activation: gradients of each activation", "[grad]") {
  const auto activation = GENERATE(from_range(kernels::kActivations));
  for (const auto& [N, D] : kSizes) {
    const Function f = [&](Tape& tape, const Variables& x) {
      return bias_activation(tape, x[0], x[1], activation);
    };
    CHECK(worst_gradient_error(f, {random({N, D}, 1), random({D}, 2)}) <= kTolerance);
  }
}

TEST_CASE("dropout: its gradient has the mask of its value", "[grad]") {
  for (const auto& [N, D] : kSizes) {
    const Function f = [](Tape& tape, const Variables& x) {
      return dropout(tape, x[0], tests::test_dropout(0.4f));
    };
    CHECK(worst_gradient_error(f, {random({N, D}, 1)}) <= kTolerance);
  }
}

TEST_CASE("softmax: gradients under lengths and a causal mask and a general mask", "[grad]") {
  const bool causal = GENERATE(false, true);
  // Sentence 0 has no key at all, and the general mask takes every key from two rows of sentence 2.
  Ids allowed(3 * 5 * 7, 1);
  for (size_t j = 0; j < 14; ++j) allowed[70 + 7 + j] = 0;
  allowed[35] = 0;
  const kernels::SoftmaxMask mask{Tensor::from(Ids{0, 4, 7}), causal, Tensor::from(allowed, {3, 5, 7})};
  const Function f = [&](Tape& tape, const Variables& x) { return softmax(tape, x[0], mask); };
  CHECK(worst_gradient_error(f, {random({3, 2, 5, 7}, 1)}) <= kTolerance);
  const Function unmasked = [&](Tape& tape, const Variables& x) {
    return softmax(tape, x[0], {{}, causal, {}});
  };
  CHECK(worst_gradient_error(unmasked, {random({1, 1, 1, 1}, 2)}) <= kTolerance);
  CHECK(worst_gradient_error(unmasked, {random({1, 3, 2, 33}, 3)}) <= kTolerance);
}

TEST_CASE("layer_norm: gradients of input and gain and bias", "[grad]") {
  for (const auto& [N, D] : {Size{1, 2}, {1, 7}, {5, 31}, {33, 3}}) {
    const Function f = [](Tape& tape, const Variables& x) {
      return layer_norm(tape, x[0], x[1], x[2], 1e-5f);
    };
    CHECK(worst_gradient_error(f, {random({N, D}, 1), random({D}, 2), random({D}, 3)}) <= kTolerance);
  }
}

TEST_CASE("rms_norm: gradients of input and gain", "[grad]") {
  for (const auto& [N, D] : {Size{1, 2}, {1, 7}, {5, 31}, {33, 3}}) {
    const Function f = [](Tape& tape, const Variables& x) { return rms_norm(tape, x[0], x[1], 1e-5f); };
    CHECK(worst_gradient_error(f, {random({N, D}, 1), random({D}, 2)}) <= kTolerance);
  }
}

TEST_CASE("gated_activation: gradients of the gate and of what it lets through", "[grad]") {
  for (const kernels::Activation activation : kernels::kActivations) {
    for (const auto& [N, F] : {Size{1, 1}, {3, 7}, {5, 33}}) {
      const Function f = [=](Tape& tape, const Variables& x) {
        return gated_activation(tape, x[0], x[1], activation);
      };
      CHECK(worst_gradient_error(f, {random({N, F}, 1), random({N, F}, 2)}) <= kTolerance);
    }
  }
}

TEST_CASE("rotary: the gradient of its input", "[grad]") {
  const Tensor table = Tensor::empty({9, 6}, DType::f64);
  kernels::rotary_table(100, table);
  const Tensor positions = Tensor::from(Ids{0, 1, 2, 0, 8});
  const Function f = [&](Tape& tape, const Variables& x) { return rotary(tape, x[0], positions, table); };
  CHECK(worst_gradient_error(f, {random({5, 12}, 1)}) <= kTolerance);
}

TEST_CASE("attention: gradients of queries and keys and values", "[grad]") {
  const int64_t max_keys = GENERATE(60, 100);  // short and long
  const bool causal = GENERATE(false, true);
  const Tensor queries = Tensor::from(Ids{0, 1, 1, 8, 13}),
               keys = causal ? queries : Tensor::from(Ids{0, 3, 5, 5, 16});
  const kernels::AttentionShape shape{3, max_keys, causal, 0.7f};
  const Function f = [&](Tape& tape, const Variables& x) {
    return attention(tape, x[0], x[1], x[2], queries, keys, shape, tests::test_dropout(0.3f, 5));
  };
  const int64_t Tk = causal ? 13 : 16;
  CHECK(worst_gradient_error(f, {random({13, 6}, 1), random({Tk, 6}, 2), random({Tk, 6}, 3)}) <= kTolerance);
}

TEST_CASE("embedding: the table's gradient adds up repeated ids", "[grad]") {
  const Ids ids{4, 0, 4, 4, 2, 0, 6};
  const Tensor positions = tests::positions_in({0, 3, 3, 7}), table = random({5, 6}, 1);
  const Function f = [&](Tape& tape, const Variables& x) {
    return embedding(tape, Tensor::from(ids), positions, order_by_id(ids), x[0], table, 2.5f,
                     tests::test_dropout(0.3f));
  };
  CHECK(worst_gradient_error(f, {random({7, 6}, 2)}) <= kTolerance);
}

TEST_CASE("cross_entropy: gradient of the smoothed sum, at any weight", "[grad]") {
  const float smoothing = GENERATE(0.0f, 0.1f);
  const double weight = GENERATE(1.0, 2.0, -0.25);
  const Tensor weights = Tensor::from(std::vector<double>{weight});
  const Function f = [&](Tape& tape, const Variables& x) {
    const Ids targets{0, 6, 3, 3, 2};
    return cross_entropy(tape, x[0],
                         Tensor::from(Ids(targets.begin(), targets.begin() + x[0].value().rows())),
                         {.label_smoothing = smoothing, .ignore_id = 2});
  };
  CHECK(worst_gradient_error(f, {random({5, 7}, 1)}, weights) <= kTolerance);
  CHECK(worst_gradient_error(f, {random({1, 31}, 2)}, weights) <= kTolerance);
}

TEST_CASE("cross_entropy: what is computed from a loss has its gradient", "[grad]") {
  const Function f = [](Tape& tape, const Variables& x) {
    const Variable loss = cross_entropy(tape, x[0], Tensor::from(Ids{0, 6, 3}), {.label_smoothing = 0.1f});
    return add(tape, scale(tape, loss, 2), cross_entropy(tape, x[0], Tensor::from(Ids{1, 1, 1}), {}));
  };
  CHECK(worst_gradient_error(f, {random({3, 7}, 1)}) <= kTolerance);
}

TEST_CASE("reshape: the gradient gets the shape back, and is added where the value has two readers",
          "[grad]") {
  const Function f = [](Tape& t, const Variables& v) {
    return matmul(t, reshape(t, v[0], {2, 6}), Transpose::no, reshape(t, v[0], {6, 2}), Transpose::no);
  };
  CHECK(worst_gradient_error(f, {random({3, 4}, 1)}) <= kTolerance);
}

TEST_CASE("Tape::columns: views feed further ops", "[grad]") {
  const Function f = [](Tape& t, const Variables& v) {
    return matmul(t, t.columns(v[0], 0, 3), Transpose::no, t.columns(v[0], 3, 6), Transpose::yes);
  };
  CHECK(worst_gradient_error(f, {random({5, 6}, 1)}) <= kTolerance);
}

TEST_CASE("Primitive ops: constants take no gradient and change none", "[unit]") {
  // The gradient of the one variable argument is, bit for bit, the one with all arguments variable.
  struct Case {
    const char* name;
    Function f;
    std::vector<Tensor> inputs;
  };
  const Tensor offsets = Tensor::from(Ids{0, 5});
  const std::vector<Case> cases{
      {"matmul",
       [](Tape& t, const Variables& v) { return matmul(t, v[0], Transpose::no, v[1], Transpose::yes); },
       {random({5, 3}, 1), random({2, 3}, 2)}},
      {"add",
       [](Tape& t, const Variables& v) { return add(t, v[0], v[1]); },
       {random({5, 3}, 1), random({5, 3}, 2)}},
      {"add_bias",
       [](Tape& t, const Variables& v) { return add_bias(t, v[0], v[1]); },
       {random({5, 3}, 1), random({3}, 2)}},
      {"bias_activation",
       [](Tape& t, const Variables& v) { return bias_activation(t, v[0], v[1], kernels::Activation::gelu); },
       {random({5, 3}, 1), random({3}, 2)}},
      {"gated_activation",
       [](Tape& t, const Variables& v) {
         return gated_activation(t, v[0], v[1], kernels::Activation::swish);
       },
       {random({5, 3}, 1), random({5, 3}, 2)}},
      {"layer_norm",
       [](Tape& t, const Variables& v) { return layer_norm(t, v[0], v[1], v[2], 1e-5f); },
       {random({5, 3}, 1), random({3}, 2), random({3}, 3)}},
      {"rms_norm",
       [](Tape& t, const Variables& v) { return rms_norm(t, v[0], v[1], 1e-5f); },
       {random({5, 3}, 1), random({3}, 2)}},
      {"attention",
       [&](Tape& t, const Variables& v) {
         return attention(t, v[0], v[1], v[2], offsets, offsets, {1, 100, true, 1}, {});
       },
       {random({5, 3}, 1), random({5, 3}, 2), random({5, 3}, 3)}},
  };
  Arena arena(Device::cpu(), tests::kTestArena);
  for (const Case& c : cases) {
    const Tensor weights = tests::weights_for(tests::evaluate(arena, c.f, c.inputs).shape());
    const auto all = tests::differentiate(c.f, c.inputs, weights);
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      INFO(c.name << ", argument " << i);
      const Function only = [&](Tape& tape, const Variables& v) {
        Variables arguments(c.inputs.begin(), c.inputs.end());
        arguments[i] = v[0];
        return c.f(tape, arguments);
      };
      CHECK(tests::same_bits(tests::differentiate(only, {c.inputs[i]}, weights).gradients[0],
                             all.gradients[i]));
    }
  }
}
