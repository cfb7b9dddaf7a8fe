// Heads apart and side by side, and the products of their matrices: where each element goes, and
// gradients against central differences.
#include "tools/tutorials/model/head_nodes.h"

#include "tests/support/catch.h"
#include "tests/support/differentiate.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;
using kernels::Transpose;

namespace {

Tensor random_f64(Shape shape, uint64_t seed) { return random_tensor(shape, DType::f64, seed); }

double at(const Tensor& x, int64_t i, int64_t j, int64_t k, int64_t l) {
  return x.data<double>()[((i * x.dim(1) + j) * x.dim(2) + k) * x.dim(3) + l];
}

}  // namespace

TEST_CASE("Quirks: a head has its columns of each token, and joining undoes splitting", "[grad]") {
  const int64_t B = 2, S = 3, H = 3, Dh = 5;
  const Tensor x = random_f64({B, S, H * Dh}, 1);
  const Derivatives split =
      differentiate([&](Tape& tape, const Variables& in) { return quirks::split_heads(tape, in[0], H); }, {x},
                    random_f64({B, H, S, Dh}, 2));
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < H; ++h) {
      for (int64_t s = 0; s < S; ++s)
        CHECK(at(split.value, b, h, s, 4) == x.data<double>()[(b * S + s) * H * Dh + h * Dh + 4]);
    }
  }
  const Function there_and_back = [&](Tape& tape, const Variables& in) {
    return quirks::join_heads(tape, quirks::split_heads(tape, in[0], H));
  };
  const Tensor weights = random_f64(x.shape(), 3);
  const Derivatives both = differentiate(there_and_back, {x}, weights);
  CHECK(same_bits(both.value, x));
  CHECK(same_bits(both.gradients[0], weights));
  CHECK(worst_gradient_error(
            [&](Tape& tape, const Variables& in) { return quirks::split_heads(tape, in[0], H); }, {x}) <=
        1e-6);
  CHECK(worst_gradient_error([&](Tape& tape, const Variables& in) { return quirks::join_heads(tape, in[0]); },
                             {random_f64({B, H, S, Dh}, 4)}) <= 1e-6);
}

TEST_CASE("Quirks: products of matrices side by side, gradients of both factors, also of one that is both",
          "[grad]") {
  const int64_t B = 2, H = 3, M = 4, K = 5, N = 3;
  const Tensor a = random_f64({B, H, M, K}, 1);
  for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
    const bool transposed = transpose == Transpose::yes;
    const Tensor b = transposed ? random_f64({B, H, N, K}, 2) : random_f64({B, H, K, N}, 2);
    const Function f = [&](Tape& tape, const Variables& in) {
      return quirks::products(tape, in[0], in[1], transpose);
    };
    CHECK(worst_gradient_error(f, {a, b}) <= 1e-6);
    double sum = 0;
    for (int64_t k = 0; k < K; ++k)
      sum += at(a, 1, 2, 3, k) * (transposed ? at(b, 1, 2, 2, k) : at(b, 1, 2, k, 2));
    Arena arena(Device::cpu());
    CHECK(at(evaluate(arena, f, {a, b}), 1, 2, 3, 2) == Approx(sum));
  }
  const Function square = [&](Tape& tape, const Variables& in) {
    return quirks::products(tape, in[0], in[0], Transpose::yes);
  };
  CHECK(worst_gradient_error(square, {a}) <= 1e-6);
}
