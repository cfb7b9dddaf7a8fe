// The plain kernels themselves: each gradient against central differences of its own forward pass,
// and the equations that are steps of a derivation, and that no kernel computes, against the
// equation that they lead to.
#include "kernels/plain/activation.h"
#include "kernels/plain/adam.h"
#include "kernels/plain/attention.h"
#include "kernels/plain/cross_entropy.h"
#include "kernels/plain/embedding.h"
#include "kernels/plain/gated_activation.h"
#include "kernels/plain/layer_norm.h"
#include "kernels/plain/matmul.h"
#include "kernels/plain/muon.h"
#include "kernels/plain/quantized_linear.h"
#include "kernels/plain/r_drop.h"
#include "kernels/plain/residual_norm.h"
#include "kernels/plain/rms_norm.h"
#include "kernels/plain/rotary.h"
#include "kernels/plain/sgd.h"
#include "kernels/plain/top_k.h"
#include "tests/cases/dropout_factor.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"
#include "tests/support/gradcheck.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

constexpr double kTolerance = 1e-6, kEps = 1e-5;

// Random f64 values that a function reads, and zeros that it adds to or writes over.
struct Values {
  Tensor tensor;
  Values(Shape shape, uint64_t seed) : tensor(random_tensor(shape, DType::f64, seed)) {}
  explicit Values(Shape shape) : tensor(Tensor::zeros(shape, DType::f64)) {}
  operator double*() const { return tensor.data<double>(); }
};

// loss(): sum of y's elements times dy's, computed anew.
template <typename Forward>
auto weighted(const Forward& forward, const Values& y, const Values& dy) {
  return [&forward, &y, &dy] {
    forward();
    return weighted_sum(y.tensor, dy.tensor);
  };
}

}  // namespace

TEST_CASE("Plain kernels: gradients of a product and of an affine map", "[grad]") {
  for (const auto& [M, N, K] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1}, {5, 3, 7}, {33, 2, 1}}) {
    const Values a({M, K}, 1), b({K, N}, 2), dc({M, N}, 3), c({M, N}), da({M, K}), db({K, N});
    plain::matmul_backward(M, N, K, dc, a, b, da, db);
    const auto product = [&] { c.tensor.fill_zero(), plain::matmul(M, N, K, a, b, c); };
    CHECK(gradient_error(weighted(product, c, dc), a.tensor, da.tensor) < kTolerance);  // MM2
    CHECK(gradient_error(weighted(product, c, dc), b.tensor, db.tensor) < kTolerance);  // MM3

    const Values x({N, K}, 4), w({M, K}, 5), bias({M}, 6), dy({N, M}, 7), y({N, M}), dx({N, K}), dw({M, K}),
        dbias({M});
    plain::linear_backward(N, K, M, dy, x, w, dx, dw, dbias);
    const auto affine = [&] { plain::linear_forward(N, K, M, x, w, bias, y); };
    CHECK(gradient_error(weighted(affine, y, dy), x.tensor, dx.tensor) < kTolerance);        // LI2
    CHECK(gradient_error(weighted(affine, y, dy), w.tensor, dw.tensor) < kTolerance);        // LI3
    CHECK(gradient_error(weighted(affine, y, dy), bias.tensor, dbias.tensor) < kTolerance);  // LI4
  }
}

TEST_CASE("Plain kernels: gradient of a masked softmax, and its Jacobian", "[grad]") {
  for (const int64_t K : {1, 2, 7, 33}) {
    const auto attends = [K](int64_t j) { return K < 7 || j % 3 != 1; };
    const Values s({K}, 1), dp({K}, 2), p({K}), ds({K}), by_jacobian({K});
    const auto forward = [&] { plain::softmax_forward(K, attends, s, p); };
    forward();
    plain::softmax_backward(K, dp, p, ds);
    for (int64_t i = 0; i < K; ++i) {
      for (int64_t j = 0; j < K; ++j) by_jacobian[j] += dp[i] * p[i] * ((i == j ? 1 : 0) - p[j]);  // SM2
    }
    CHECK(max_relative_error(ds.tensor, by_jacobian.tensor, 1e-3) < 1e-14);
    CHECK(gradient_error(weighted(forward, p, dp), s.tensor, ds.tensor) < kTolerance);
  }
}

TEST_CASE("Plain kernels: gradients of the norms, and their Jacobians", "[grad]") {
  for (const auto& [N, D] : {std::pair<int64_t, int64_t>{1, 2}, {3, 5}, {2, 33}}) {
    const Values x({N, D}, 1), gamma({D}, 2), beta({D}, 3), dy({N, D}, 4), y({N, D}), mean({N}), rstd({N});
    const double size = static_cast<double>(D);
    {
      const Values dx({N, D}), dgamma({D}), dbeta({D}), by_jacobian({N, D});
      const auto forward = [&] { plain::layer_norm_forward(N, D, kEps, x, gamma, beta, y, mean, rstd); };
      forward();
      plain::layer_norm_backward(N, D, dy, x, gamma, mean, rstd, dx, dgamma, dbeta);
      for (int64_t n = 0; n < N; ++n) {
        const auto xhat = [&](int64_t i) { return (x[n * D + i] - mean[n]) * rstd[n]; };
        for (int64_t i = 0; i < D; ++i) {
          for (int64_t j = 0; j < D; ++j) {
            const double jacobian =
                rstd[n] * ((i == j ? 1 : 0) - 1 / size - xhat(i) * xhat(j) / size);  // LN4
            by_jacobian[n * D + j] += dy[n * D + i] * gamma[i] * jacobian;
          }
        }
      }
      CHECK(max_relative_error(dx.tensor, by_jacobian.tensor, 1e-3) < 1e-11);
      CHECK(gradient_error(weighted(forward, y, dy), x.tensor, dx.tensor) < kTolerance);          // LN5
      CHECK(gradient_error(weighted(forward, y, dy), gamma.tensor, dgamma.tensor) < kTolerance);  // LN2
      CHECK(gradient_error(weighted(forward, y, dy), beta.tensor, dbeta.tensor) < kTolerance);    // LN1
    }
    const Values dx({N, D}), dgamma({D}), by_jacobian({N, D});
    const auto forward = [&] { plain::rms_norm_forward(N, D, kEps, x, gamma, y, rstd); };
    forward();
    plain::rms_norm_backward(N, D, dy, x, gamma, rstd, dx, dgamma);
    for (int64_t n = 0; n < N; ++n) {
      const auto xhat = [&](int64_t i) { return x[n * D + i] * rstd[n]; };
      for (int64_t i = 0; i < D; ++i) {
        for (int64_t j = 0; j < D; ++j) {
          const double jacobian = rstd[n] * ((i == j ? 1 : 0) - xhat(i) * xhat(j) / size);  // RM3
          by_jacobian[n * D + j] += dy[n * D + i] * gamma[i] * jacobian;
        }
      }
    }
    CHECK(max_relative_error(dx.tensor, by_jacobian.tensor, 1e-3) < 1e-11);
    CHECK(gradient_error(weighted(forward, y, dy), x.tensor, dx.tensor) < kTolerance);          // RM4
    CHECK(gradient_error(weighted(forward, y, dy), gamma.tensor, dgamma.tensor) < kTolerance);  // RM1
  }
}

TEST_CASE("Plain kernels: gradients of a residual connection and of a dropped non-linearity", "[grad]") {
  const int64_t N = 5, D = 7;
  const Values m({N, D});
  const auto factors = dropout_factors(test_dropout(0.4f), N, D);
  std::copy(factors.begin(), factors.end(), static_cast<double*>(m));
  const Values x({N, D}, 1), s({N, D}, 2), dsum({N, D}, 3), none({N, D}), sum({N, D}), dx({N, D}), ds({N, D});
  const auto residual = [&] { plain::residual(N * D, x, s, m, sum); };
  plain::residual_backward(N * D, none, dsum, m, dx, ds);
  CHECK(gradient_error(weighted(residual, sum, dsum), x.tensor, dx.tensor) < kTolerance);  // RN1
  CHECK(gradient_error(weighted(residual, sum, dsum), s.tensor, ds.tensor) < kTolerance);  // RN2

  for (const Activation f : kActivations) {
    const Values bias({D}, 4), da({N, D}, 5), a({N, D}), dz({N, D}), dbias({D});
    const auto forward = [&] { plain::bias_activation_forward(N, D, f, x, bias, m, a); };
    plain::bias_activation_backward(N, D, f, da, x, bias, m, dz, dbias);
    CHECK(gradient_error(weighted(forward, a, da), x.tensor, dz.tensor) < kTolerance);        // AC5
    CHECK(gradient_error(weighted(forward, a, da), bias.tensor, dbias.tensor) < kTolerance);  // AC6
  }
}

TEST_CASE("Plain kernels: gradients of a gated activation and of rotary positions", "[grad]") {
  const int64_t N = 5, F = 7, H = 3, P = 2;
  const Values gate({N, F}, 1), up({N, F}, 2), dy({N, F}, 3), y({N, F}), dgate({N, F}), dup({N, F});
  for (const Activation f : kActivations) {
    const auto forward = [&] { plain::gated_activation_forward(N, F, f, gate, up, y); };
    plain::gated_activation_backward(N, F, f, dy, gate, up, dgate, dup);
    CHECK(gradient_error(weighted(forward, y, dy), gate.tensor, dgate.tensor) < kTolerance);  // GA1
    CHECK(gradient_error(weighted(forward, y, dy), up.tensor, dup.tensor) < kTolerance);      // GA2
  }
  const std::vector<int32_t> positions{0, 1, 2, 0, 40};
  const Values x({N, H * 2 * P}, 4), dz({N, H * 2 * P}, 5), z({N, H * 2 * P}), dx({N, H * 2 * P});
  const auto turn = [&] { plain::rotary_forward(N, H, P, 100, x, positions.data(), z); };
  plain::rotary_backward(N, H, P, 100, dz, positions.data(), dx);
  CHECK(gradient_error(weighted(turn, z, dz), x.tensor, dx.tensor) < kTolerance);  // RO2
}

TEST_CASE("Plain kernels: gradients of attention", "[grad]") {
  for (const bool causal : {false, true}) {
    const int64_t Tq = 5, Tk = 7, Dh = 3, stride = 4;
    const plain::AttentionHead head{Tq, Tk, Dh, stride, stride, 0.7, causal};
    const Values q({Tq, stride}, 1), k({Tk, stride}, 2), v({Tk, stride}, 3), grad_o({Tq, stride}, 4),
        m({Tq, Tk}), p({Tq, Tk}), o({Tq, stride}), dq({Tq, stride}), dk({Tk, stride}), dv({Tk, stride});
    const auto factors = dropout_factors(test_dropout(0.3f), Tq, Tk);
    std::copy(factors.begin(), factors.end(), static_cast<double*>(m));
    const auto forward = [&] { plain::attention_forward(head, q, k, v, m, p, o); };
    forward();
    plain::attention_backward(head, grad_o, q, k, v, m, p, dq, dk, dv);
    CHECK(gradient_error(weighted(forward, o, grad_o), q.tensor, dq.tensor) < kTolerance);  // AT6
    CHECK(gradient_error(weighted(forward, o, grad_o), k.tensor, dk.tensor) < kTolerance);  // AT7
    CHECK(gradient_error(weighted(forward, o, grad_o), v.tensor, dv.tensor) < kTolerance);  // AT8
  }

  // Two query heads that share a key head.
  const int64_t Tq = 4, Tk = 5, Dh = 3, stride = 2 * Dh;
  const plain::AttentionHead head{Tq, Tk, Dh, stride, Dh, 0.7, true};
  const Values q({Tq, stride}, 1), k({Tk, Dh}, 2), v({Tk, Dh}, 3), grad_o({Tq, stride}, 4), m({Tq, Tk}),
      p({2 * Tq, Tk}), o({Tq, stride}), dq({Tq, stride}), dk({Tk, Dh}), dv({Tk, Dh});
  std::fill_n(static_cast<double*>(m), Tq * Tk, 1.0);
  const auto forward = [&] {
    for (const int64_t h : {0, 1})
      plain::attention_forward(head, q + h * Dh, k, v, m, p + h * Tq * Tk, o + h * Dh);
  };
  forward();
  for (const int64_t h : {0, 1}) {  // AT11
    plain::attention_backward(head, grad_o + h * Dh, q + h * Dh, k, v, m, p + h * Tq * Tk, dq + h * Dh, dk,
                              dv);
  }
  CHECK(gradient_error(weighted(forward, o, grad_o), q.tensor, dq.tensor) < kTolerance);
  CHECK(gradient_error(weighted(forward, o, grad_o), k.tensor, dk.tensor) < kTolerance);  // AT12
  CHECK(gradient_error(weighted(forward, o, grad_o), v.tensor, dv.tensor) < kTolerance);
}

TEST_CASE("Plain kernels: gradients of cross-entropy, divergence and the embedding", "[grad]") {
  for (const double smoothing : {0.0, 0.1}) {
    const int64_t V = 11;
    const Values z({V}, 1), dz({V}), unused({V});
    plain::cross_entropy(V, 3, smoothing, z, dz);
    const auto loss = [&] { return plain::cross_entropy(V, 3, smoothing, z, unused).smoothed; };
    CHECK(gradient_error(loss, z.tensor, dz.tensor) < kTolerance);  // CE3
  }
  const Values first({9}, 6), second({9}, 7), dfirst({9}), dsecond({9}), not_read({9});
  plain::divergence(9, first, second, dfirst, dsecond);
  const auto divergence = [&] { return plain::divergence(9, first, second, not_read, not_read); };
  CHECK(gradient_error(divergence, first.tensor, dfirst.tensor) < kTolerance);    // SD2
  CHECK(gradient_error(divergence, second.tensor, dsecond.tensor) < kTolerance);  // SD3
  const int64_t N = 6, V = 4, D = 5;
  const std::vector<int32_t> ids{2, 0, 2, 2, 1, 0}, places{0, 1, 2, 0, 1, 2};
  const Values table({V, D}, 2), positions({3, D}, 3), m({N, D}, 4), dx({N, D}, 5), x({N, D}), dtable({V, D});
  const auto forward = [&] {
    plain::embedding_forward(N, D, 2.5, ids.data(), places.data(), table, positions, m, x);
  };
  plain::embedding_backward(N, D, 2.5, dx, ids.data(), m, dtable);
  CHECK(gradient_error(weighted(forward, x, dx), table.tensor, dtable.tensor) < kTolerance);  // EM2
}

TEST_CASE("Plain kernels: norms, activations, attention and loss of numbers calculated by hand", "[golden]") {
  const std::vector<double> x{1, 1, 5, 7}, one(4, 1.0), zero(4, 0.0);
  std::vector<double> y(4);
  double mean = 0, rstd = 0;
  // Mean 3.5, centred -2.5 -2.5 1.5 3.5, variance 27/4.
  plain::layer_norm_forward(1, 4, 0, x.data(), one.data(), one.data(), y.data(), &mean, &rstd);  // LN0
  CHECK(mean == 3.5);
  CHECK(y[3] == Approx(1 + 3.5 / std::sqrt(6.75)));
  // Mean square 19.
  plain::rms_norm_forward(1, 4, 0, x.data(), one.data(), y.data(), &rstd);  // RM0
  CHECK(y[3] == Approx(7 / std::sqrt(19.0)));

  CHECK(plain::relu(-1.5) == 0);  // AC1
  CHECK(plain::relu(1.5) == 1.5);
  CHECK(plain::gelu(1) == Approx(0.8413447460685429));  // AC3: the normal distribution at 1, from tables
  CHECK(plain::swish(std::log(3.0)) == Approx(0.75 * std::log(3.0)));  // AC7: e^-z is 1/3

  const double gate = std::log(3.0), up = 8;
  double gated = 0;
  plain::gated_activation_forward(1, 1, Activation::swish, &gate, &up, &gated);
  CHECK(gated == Approx(6 * std::log(3.0)));  // GA0

  // Two pairs at position 3 and base 16: angles 3 and 3 / 4. The first is (1, 0), the second (0,
  // 1).
  const std::vector<double> pairs{1, 0, 0, 1};
  const int32_t place = 3;
  CHECK(plain::rotary_angle(16, 3, 1, 2) == Approx(0.75));  // RO0
  plain::rotary_forward(1, 1, 2, 16, pairs.data(), &place, y.data());
  CHECK(y[0] == Approx(std::cos(3.0)));  // RO1
  CHECK(y[2] == Approx(std::sin(3.0)));
  CHECK(y[1] == Approx(-std::sin(0.75)));
  CHECK(y[3] == Approx(std::cos(0.75)));

  // One query, keys with scores 0 and log 3: probabilities 1/4 and 3/4; the second value is
  // dropped.
  const plain::AttentionHead head{1, 2, 1, 1, 1, 1, false};
  const std::vector<double> q{1}, k{0, std::log(3.0)}, v{8, 100}, m{2, 0};
  std::vector<double> p(2), o(1);
  plain::attention_forward(head, q.data(), k.data(), v.data(), m.data(), p.data(), o.data());
  CHECK(p[1] == Approx(0.75));          // AT1, AT2
  CHECK(o[0] == Approx(2 * 0.25 * 8));  // AT3, AT4

  // Logits 0 and log 3, the first is the target: -log(1/4) without smoothing, and half of both with
  // all of it.
  const std::vector<double> z{0, std::log(3.0)};
  std::vector<double> dz(2);
  CHECK(plain::cross_entropy(2, 0, 0, z.data(), dz.data()).smoothed == Approx(std::log(4.0)));  // CE1
  CHECK(dz[0] == Approx(0.25 - 1));                                                             // CE2, CE3
  CHECK(plain::cross_entropy(2, 0, 1, z.data(), dz.data()).smoothed ==
        Approx(std::log(4.0) - std::log(3.0) / 2));
}

TEST_CASE("Plain kernels: a product in eight bits of numbers calculated by hand", "[golden]") {
  const std::vector<double> x{127, -63.5, 1}, w{254, 0, -2};
  std::vector<int64_t> p(3), q(3);
  const double t = plain::quantize_row(3, x.data(), p.data()), s = plain::quantize_row(3, w.data(), q.data());
  CHECK(t == 1);
  CHECK(p == std::vector<int64_t>{127, -64, 1});  // QL2; half a step goes to the even one
  CHECK(s == 2);
  CHECK(q == std::vector<int64_t>{127, 0, -1});                                          // QL1
  CHECK(plain::quantized_product(3, p.data(), t, q.data(), s, 0.5) == 2 * 16128 + 0.5);  // QL3: 127 * 127 - 1
}

TEST_CASE("Plain kernels: dropout keeps its share, and gives the same factors back", "[golden]") {
  const int64_t N = 100, D = 100;
  const std::vector<double> ones(N * D, 1.0);
  std::vector<double> y(ones), dx(ones);
  plain::dropout(N, D, test_dropout(0.25f), ones.data(), y.data());
  plain::dropout(N, D, test_dropout(0.25f), ones.data(), dx.data());
  CHECK(y == dx);  // DR2, DR3
  double sum = 0;
  for (const double factor : y) {
    CHECK((factor == 0 || factor == Approx(1 / 0.75)));  // DR1
    sum += factor;
  }
  CHECK(sum / (N * D) == Approx(1).epsilon(0.03));  // five standard deviations: 5 sqrt(p / (1 - p)
                                                    // / 10^4)
}

TEST_CASE("Plain kernels: two updates of adam, calculated by hand", "[golden]") {
  const AdamOptions options{
      .beta1 = 0.5f, .beta2 = 0.75f, .eps = 0, .weight_decay = 0.5f, .decoupled = false};
  // Gradient 6 over 3 tokens and a norm of at most 1: 2, cut to 1; with L2 1 + 0.5 * 2 = 2.
  double p = 2, mu = 0, nu = 0;
  const double g = 6;
  plain::adam(1, options, 0.125, 1, 3, 1, &g, &p, &mu, &nu);
  CHECK(mu == 1);         // AD1, AD2
  CHECK(nu == 1);         // AD3
  CHECK(p == 2 - 0.125);  // AD4: the hats make the first step the rate
  // The second: gradient 1 + 0.5 * 1.875.
  plain::adam(1, options, 0.125, 2, 3, 1, &g, &p, &mu, &nu);
  const double scaled = 1 + 0.5 * 1.875, mu2 = 0.5 + 0.5 * scaled, nu2 = 0.75 + 0.25 * scaled * scaled;
  CHECK(mu == Approx(mu2));
  CHECK(nu == Approx(nu2));
  CHECK(p == Approx(1.875 - 0.125 * (mu2 / 0.75) / std::sqrt(nu2 / 0.4375)));
  // Decoupled: the decay is not in the moments.
  const AdamOptions decoupled{
      .beta1 = 0.5f, .beta2 = 0.75f, .eps = 0, .weight_decay = 0.5f, .decoupled = true};
  p = 2, mu = nu = 0;
  plain::adam(1, decoupled, 0.125, 1, 3, 0, &g, &p, &mu, &nu);
  CHECK(mu == 1);
  CHECK(p == 2 - 0.125 - 0.125 * 0.5 * 2);
}

TEST_CASE("Plain kernels: two updates of sgd, calculated by hand", "[golden]") {
  const SgdOptions options{.momentum = 0.5f, .weight_decay = 0.25f};
  // Gradient 6 over 3 tokens and a norm of at most 1: 2, cut to 1; with the decay 1 + 0.25 * 4 = 2.
  double p = 4, m = 0;
  const double g = 6;
  plain::sgd(1, options, 0.5, 3, 1, &g, &p, &m);
  CHECK(m == 2);  // SG1, SG2
  CHECK(p == 3);  // SG3
  // The second: gradient 1 + 0.25 * 3, and half of the first.
  plain::sgd(1, options, 0.5, 3, 1, &g, &p, &m);
  CHECK(m == 2.75);
  CHECK(p == 3 - 1.375);
}

TEST_CASE("Plain kernels: an update of muon, calculated by hand", "[golden]") {
  // Momentum 1/2 and a mean gradient of (6, 0 / 0, 8) after (8, 0 / 0, 16): mu = 4 + 3 and 8 + 4, u
  // = 3.5 + 3 and 6 + 4, and the polynomial is taken of what lies on the diagonal.
  const MuonOptions options{.momentum = 0.5f, .weight_decay = 0.25f};
  const std::vector<double> g{12, 0, 0, 16};
  std::vector<double> p{4, 1, 0, 8}, mu{8, 0, 0, 16};
  plain::muon(2, 2, options, 0.5, 0.5, g.data(), p.data(), mu.data());
  CHECK((mu == std::vector<double>{7, 0, 0, 12}));  // MU1, MU2
  const double norm = std::sqrt(6.5 * 6.5 + 10 * 10), along = 0.5 * 0.2 * std::sqrt(2.0);
  const auto f = [](double x) {
    for (int i = 0; i < 5; ++i) x = 3.4445 * x - 4.7750 * std::pow(x, 3) + 2.0315 * std::pow(x, 5);
    return x;
  };
  // MU3, MU4, MU5
  CHECK(p[0] == Approx(4 - along * f(6.5 / norm) - 0.125 * 4));
  CHECK(p[1] == 1 - 0.125);
  CHECK(p[2] == 0);
  CHECK(p[3] == Approx(8 - along * f(10 / norm) - 0.125 * 8));
}

TEST_CASE("Plain kernels: the best tokens and the sinusoids", "[golden]") {
  // probabilities 1/9, 3/9, 1/9, 4/9
  const std::vector<double> z{0, std::log(3.0), 0, std::log(4.0)};
  std::vector<double> scores(2);
  std::vector<int32_t> ids(2);
  plain::log_softmax_top_k(4, 2, z.data(), {3}, scores.data(), ids.data());
  CHECK(ids == std::vector<int32_t>{1, 0});                        // TK2: 3 is banned, 0 comes before 2
  CHECK(scores[0] == Approx(std::log(1.0 / 3)));                   // TK1
  CHECK(plain::sinusoid(5, 2, 4) == Approx(std::sin(5 / 100.0)));  // EM3
  CHECK(plain::sinusoid(5, 3, 4) == Approx(std::cos(5 / 100.0)));
  const std::vector<int32_t> id{1}, place{0};
  const std::vector<double> table{7, 8, 3, 4}, positions{0, 1}, m{1, 2};
  std::vector<double> x(2);
  plain::embedding_forward(1, 2, 10, id.data(), place.data(), table.data(), positions.data(), m.data(),
                           x.data());
  CHECK(x == std::vector<double>{30, 82});  // EM1
  const std::vector<int64_t> q{7, 8, -3, 4};
  const std::vector<double> s{2, 0.5};
  plain::quantized_embedding_forward(1, 2, 10, id.data(), place.data(), q.data(), s.data(), positions.data(),
                                     x.data());
  CHECK(x == std::vector<double>{-15, 21});  // EM5
}
