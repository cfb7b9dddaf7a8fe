// Row by row: example, equations as on their page, and how to call both kernels.
#include "kernels/adam.h"
#include "kernels/cross_entropy.h"
#include "kernels/layer_norm.h"
#include "kernels/plain/adam.h"
#include "kernels/plain/cross_entropy.h"
#include "kernels/plain/layer_norm.h"
#include "kernels/plain/muon.h"
#include "kernels/plain/r_drop.h"
#include "kernels/plain/residual_norm.h"
#include "kernels/plain/rms_norm.h"
#include "kernels/plain/sgd.h"
#include "kernels/plain/softmax.h"
#include "kernels/plain/top_k.h"
#include "kernels/r_drop.h"
#include "kernels/residual_norm.h"
#include "kernels/rms_norm.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "tools/explain/op_table.h"

namespace xf::tools::explain {

namespace {

namespace k = kernels;
namespace plain = kernels::plain;

constexpr float kEps = 1e-5f;

// Rows of keys as scores [B, 1, rows of a sentence, keys]; there is one sentence for each number of
// "lengths".
Tensor as_scores(Tensors& t, const char* name) {
  const int64_t sentences = t.contains("lengths") ? t["lengths"].numel() : 1, rows = t[name].rows();
  demand(rows % sentences == 0, "softmax: lengths must divide the rows into equal sentences");
  return t[name].reshape({sentences, 1, rows / sentences, t[name].width()});
}

k::SoftmaxMask softmax_mask(Tensors& t) {
  const Shape scores = as_scores(t, "x").shape();
  k::SoftmaxMask mask{{}, is_causal(t), mask_of(t, t["x"].rows(), t["x"].width())};
  if (mask.mask.defined()) mask.mask = mask.mask.reshape({scores[0], scores[2], scores[3]});
  if (t.contains("lengths")) mask.lengths = t["lengths"];
  return mask;
}

void plain_softmax(Tensors& t) {
  const k::SoftmaxMask mask = softmax_mask(t);
  const int64_t N = t.at("x").rows(), D = t.at("x").width(), per_sentence = as_scores(t, "x").shape()[2];
  for (int64_t n = 0; n < N; ++n) {
    const auto attends = [&](int64_t j) {
      return (!mask.lengths.defined() || j < mask.lengths.data<int32_t>()[n / per_sentence]) &&
             (!mask.causal || j <= n % per_sentence) &&
             (!mask.mask.defined() || mask.mask.data<int32_t>()[n * D + j] != 0);
    };
    plain::softmax_forward(D, attends, at(t, "x") + n * D, at(t, "y") + n * D);
    plain::softmax_backward(D, at(t, "dy") + n * D, at(t, "y") + n * D, at(t, "dx") + n * D);
  }
}

Op softmax() {
  return {"softmax",
          "softmax.md",
          {{"x", "1,2,3"}, {"dy", "x"}, {"lengths", "", true}, {"causal", "", true}, {"mask", "", true}},
          {{"SM1", "y_j = exp(x_j - top) / Z,  Z = sum_k exp(x_k - top)", {"y"}},
           {"SM3", "dx_j = y_j (dy_j - sum_i y_i dy_i)", {"dx"}, "x"}},
          [](Tensors& t) {
            t["y"] = like(t["x"]);
            k::softmax_forward(as_scores(t, "x"), softmax_mask(t), as_scores(t, "y"));
          },
          [](Tensors& t) { k::softmax_backward(as_scores(t, "dy"), as_scores(t, "y"), as_scores(t, "dx")); },
          plain_softmax};
}

Op layer_norm() {
  return {
      "layer_norm",
      "layer_norm.md",
      {{"x", "1,2,3,4"}, {"gamma", "row of 1"}, {"beta", "row of 0"}, {"dy", "x"}},
      {{"LN0",
        "xhat = (x - <x>) rstd,  rstd = 1 / sqrt(<(x - <x>)^2> + eps),  y = gamma xhat + beta;  eps = 1e-5",
        {"mean", "rstd", "y"}},
       {"LN1", "dbeta = sum_n dy", {"dbeta"}, "beta"},
       {"LN2", "dgamma = sum_n dy xhat", {"dgamma"}, "gamma"},
       {"LN5", "dx = rstd (g - <g> - xhat <g xhat>),  g = dy gamma", {"dx"}, "x"}},
      [](Tensors& t) {
        t["y"] = like(t["x"]), t["mean"] = zeros(t, {t["x"].rows()}), t["rstd"] = like(t["mean"]);
        k::layer_norm_forward(t["x"], t["gamma"], t["beta"], kEps, t["y"], t["mean"], t["rstd"]);
      },
      [](Tensors& t) {
        k::layer_norm_backward(t["dy"], t["x"], t["gamma"], t["mean"], t["rstd"], t["dx"], t["dgamma"],
                               t["dbeta"]);
      },
      [](Tensors& t) {
        const int64_t N = t.at("x").rows(), D = t.at("x").width();
        plain::layer_norm_forward(N, D, static_cast<double>(kEps), at(t, "x"), at(t, "gamma"), at(t, "beta"),
                                  at(t, "y"), at(t, "mean"), at(t, "rstd"));
        plain::layer_norm_backward(N, D, at(t, "dy"), at(t, "x"), at(t, "gamma"), at(t, "mean"),
                                   at(t, "rstd"), at(t, "dx"), at(t, "dgamma"), at(t, "dbeta"));
      }};
}

Op rms_norm() {
  return {
      "rms_norm",
      "rms_norm.md",
      {{"x", "1,2,3,4"}, {"gamma", "row of 1"}, {"dy", "x"}},
      {{"RM0", "xhat = x rstd,  rstd = 1 / sqrt(<x^2> + eps),  y = gamma xhat;  eps = 1e-5", {"rstd", "y"}},
       {"RM1", "dgamma = sum_n dy xhat", {"dgamma"}, "gamma"},
       {"RM4", "dx = rstd (g - xhat <g xhat>),  g = dy gamma", {"dx"}, "x"}},
      [](Tensors& t) {
        t["y"] = like(t["x"]), t["rstd"] = zeros(t, {t["x"].rows()});
        k::rms_norm_forward(t["x"], t["gamma"], kEps, t["y"], t["rstd"]);
      },
      [](Tensors& t) { k::rms_norm_backward(t["dy"], t["x"], t["gamma"], t["rstd"], t["dx"], t["dgamma"]); },
      [](Tensors& t) {
        const int64_t N = t.at("x").rows(), D = t.at("x").width();
        plain::rms_norm_forward(N, D, static_cast<double>(kEps), at(t, "x"), at(t, "gamma"), at(t, "y"),
                                at(t, "rstd"));
        plain::rms_norm_backward(N, D, at(t, "dy"), at(t, "x"), at(t, "gamma"), at(t, "rstd"), at(t, "dx"),
                                 at(t, "dgamma"));
      }};
}

Op residual_norm() {
  return {"residual_norm",
          "residual.md",
          {{"x", "1,2,3,4"},
           {"s", "x of 0.5"},
           {"gamma", "row of 1"},
           {"beta", "row of 0"},
           {"dsum", "x of 0"},
           {"dy", "x"}},
          {{"RN0", "sum = x + s,  y = layer_norm(sum);  eps = 1e-5", {"sum", "y"}},
           {"RN1", "dx = (LN5 of dy) + dsum", {"dx"}, "x"},
           {"RN2", "ds = dx, without dropout", {"ds"}, "s"}},
          [](Tensors& t) {
            t["y"] = like(t["x"]), t["sum"] = like(t["x"]);
            t["mean"] = zeros(t, {t["x"].rows()}), t["rstd"] = like(t["mean"]);
            k::residual_norm_forward(t["x"], t["s"], {}, t["gamma"], t["beta"], kEps, t["sum"], t["y"],
                                     t["mean"], t["rstd"]);
          },
          [](Tensors& t) {
            t["dgamma"] = like(t["gamma"]), t["dbeta"] = like(t["beta"]);
            k::residual_norm_backward(t["dy"], t["dsum"], t["sum"], t["gamma"], t["mean"], t["rstd"], {},
                                      t["dx"], t["ds"], t["dgamma"], t["dbeta"]);
          },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), D = t.at("x").width();
            t["norm_dx"] = like(t["x"]), t["m"] = ones(t.at("x").shape());
            plain::residual(N * D, at(t, "x"), at(t, "s"), at(t, "m"), at(t, "sum"));
            plain::layer_norm_forward(N, D, static_cast<double>(kEps), at(t, "sum"), at(t, "gamma"),
                                      at(t, "beta"), at(t, "y"), at(t, "mean"), at(t, "rstd"));
            plain::layer_norm_backward(N, D, at(t, "dy"), at(t, "sum"), at(t, "gamma"), at(t, "mean"),
                                       at(t, "rstd"), at(t, "norm_dx"), at(t, "dgamma"), at(t, "dbeta"));
            plain::residual_backward(N * D, at(t, "norm_dx"), at(t, "dsum"), at(t, "m"), at(t, "dx"),
                                     at(t, "ds"));
          }};
}

constexpr float kSmoothing = 0.1f;

Op cross_entropy() {
  return {"cross_entropy",
          "cross_entropy.md",
          {{"x", "2,1,0.1"}, {"target", "0", true}},
          {{"CE1", "y = lse - (1 - e) x_t - e <x>,  summed over rows;  e = 0.1", {"y"}},
           {"CE3", "dx = p - q", {"dx"}, "x"}},
          [](Tensors& t) {
            const Tensor loss = zeros(t, {2});
            t["dx"] = like(t["x"]);
            k::cross_entropy(t["x"], t["target"], {.label_smoothing = kSmoothing}, loss, t["dx"]);
            t["y"] = loss.slice_rows(0, 1);
          },
          [](Tensors&) {},
          [](Tensors& t) {
            const int64_t V = t["x"].width();
            for (int64_t n = 0; n < t["x"].rows(); ++n) {
              at(t, "y")[0] += plain::cross_entropy(V, ids(t, "target")[n], static_cast<double>(kSmoothing),
                                                    at(t, "x") + n * V, at(t, "dx") + n * V)
                                   .smoothed;
            }
          }};
}

// Two rows are one pair; more are split in halves, as a batch that is read twice.
Op r_drop() {
  return {"r_drop",
          "r_drop.md",
          {{"x", "2,1,0.1;1,1,1"}},
          {{"SD4", "y = -log p_0 - log q_0 + <d>_p - <d>_q,  d the difference of a pair of rows", {"y"}},
           {"SD2", "dx = p - [v = 0] + p (d - <d>_p) + p - q,  and of the other row", {"dx"}, "x"}},
          [](Tensors& t) {
            demand(t["x"].rows() % 2 == 0, "r_drop: x must have an even number of rows, as 2,1;1,1");
            const Tensor loss = Tensor::zeros({2}, t["x"].dtype());
            t["y"] = loss.slice_rows(0, 1), t["dx"] = like(t["x"]);
            const Tensor first_word = Tensor::zeros({t["x"].rows() / 2}, DType::i32);
            k::r_drop(t["x"], {}, first_word, {}, loss, t["dx"], {});
          },
          [](Tensors&) {},
          [](Tensors& t) {
            const int64_t V = t["x"].width(), N = t["x"].rows() / 2;
            for (int64_t n = 0; n < N; ++n) {
              at(t, "y")[0] += plain::r_drop(V, 0, 0, 1, at(t, "x") + n * V, at(t, "x") + (n + N) * V,
                                             at(t, "dx") + n * V, at(t, "dx") + (n + N) * V)
                                   .smoothed;
            }
          }};
}

constexpr double kRate = 0.001;

Op adam() {
  return {"adam",
          "adam.md",
          {{"x", "1,-2,3"}, {"dy", "0.5,-0.1,0"}},
          {{"AD2", "mu = (1 - beta1) dy,  the first update;  beta1 = 0.9", {"mu"}},
           {"AD3", "nu = (1 - beta2) dy^2;  beta2 = 0.98", {"nu"}},
           {"AD4", "y = x - rate mu_hat / (sqrt(nu_hat) + eps);  rate = 0.001, eps = 1e-8", {"y"}}},
          [](Tensors& t) {
            demand_gradient_of_x(t);
            const int64_t P = t["x"].numel();
            const Tensor g = like(t["x"]), squares = Tensor::zeros({1}, DType::f64);
            t["y"] = like(t["x"]), t["mu"] = like(t["x"]), t["nu"] = like(t["x"]);
            g.copy_from(t["dy"]), t["y"].copy_from(t["x"]);
            k::sum_of_squares(g.reshape({P}), squares);
            const std::vector<float> step{static_cast<float>(kRate), 1 - 0.9f, 1 - 0.98f, 1};
            k::adam({}, Tensor::from(step), 0, squares, t["y"].reshape({P}), t["mu"].reshape({P}),
                    t["nu"].reshape({P}), g.reshape({P}));
          },
          [](Tensors&) {},
          [](Tensors& t) {
            t["y"].copy_from(t["x"]);
            plain::adam(t["x"].numel(), {}, kRate, 1, 1, 0, at(t, "dy"), at(t, "y"), at(t, "mu"),
                        at(t, "nu"));
          }};
}

constexpr int64_t kBest = 2;

Op top_k() {
  return {"top_k",
          "top_k.md",
          {{"x", "2,1,0.1,2"}},
          {{"TK1", "y = x - lse,  of the two best", {"y"}}},
          [](Tensors& t) {
            demand(t["x"].width() >= kBest, "top_k: x must have two columns or more");
            const int64_t N = t["x"].rows();
            t["y"] = zeros(t, {N, kBest}), t["id"] = Tensor::zeros({N, kBest}, DType::i32);
            k::log_softmax_top_k(t["x"], Tensor::zeros({0}, DType::i32), k::Normalise::yes, t["y"], t["id"]);
          },
          [](Tensors&) {},
          [](Tensors& t) {
            const int64_t N = t["x"].rows(), V = t["x"].width();
            std::vector<int32_t> best(static_cast<size_t>(kBest));
            for (int64_t n = 0; n < N; ++n) {
              plain::log_softmax_top_k(V, kBest, at(t, "x") + n * V, {}, at(t, "y") + n * kBest, best.data());
            }
          }};
}

Op muon() {
  return {"muon",
          "muon.md",
          {{"x", "1,2;3,4"}, {"dy", "0.5,-0.1;0,0.2"}},
          {{"MU2", "mu = (1 - momentum) dy,  the first update;  momentum = 0.95", {"mu"}},
           {"MU5", "y = x - rate 0.2 sqrt(max(rows, columns)) X;  rate = 0.001", {"y"}}},
          [](Tensors& t) {
            demand_gradient_of_x(t);
            const int64_t P = t["x"].numel(), R = t["x"].rows(), C = t["x"].width();
            const Tensor g = like(t["x"]), squares = Tensor::zeros({1}, DType::f64);
            t["y"] = like(t["x"]), t["mu"] = like(t["x"]);
            g.copy_from(t["dy"]), t["y"].copy_from(t["x"]);
            k::sum_of_squares(g.reshape({P}), squares);
            const std::vector<float> step{static_cast<float>(kRate), 0, 0, 1};
            k::muon({}, Tensor::from(step), 0, squares, {Tensor::from(std::vector<int32_t>{0}), R, C},
                    t["y"].reshape({P}), t["mu"].reshape({P}), g.reshape({P}), Tensor(),
                    zeros(t, {k::muon_workspace(R, C)}));
          },
          [](Tensors&) {},
          [](Tensors& t) {
            t["y"].copy_from(t["x"]);
            plain::muon(t["x"].rows(), t["x"].width(), {}, kRate, 1, at(t, "dy"), at(t, "y"), at(t, "mu"));
          }};
}

Op sgd() {
  return {"sgd",
          "sgd.md",
          {{"x", "1,-2,3"}, {"dy", "0.5,-0.1,0"}},
          {{"SG2", "mu = dy,  the first update", {"mu"}}, {"SG3", "y = x - rate mu;  rate = 0.001", {"y"}}},
          [](Tensors& t) {
            demand_gradient_of_x(t);
            const int64_t P = t["x"].numel();
            const Tensor g = like(t["x"]), squares = Tensor::zeros({1}, DType::f64);
            t["y"] = like(t["x"]), t["mu"] = like(t["x"]);
            g.copy_from(t["dy"]), t["y"].copy_from(t["x"]);
            k::sum_of_squares(g.reshape({P}), squares);
            k::sgd({}, Tensor::from(std::vector<float>{static_cast<float>(kRate), 1}), 0, squares,
                   t["y"].reshape({P}), t["mu"].reshape({P}), g.reshape({P}));
          },
          [](Tensors&) {},
          [](Tensors& t) {
            t["y"].copy_from(t["x"]);
            plain::sgd(t["x"].numel(), {}, kRate, 1, 0, at(t, "dy"), at(t, "y"), at(t, "mu"));
          }};
}

}  // namespace

std::vector<Op> row_ops() {
  return {softmax(), layer_norm(), rms_norm(), residual_norm(), cross_entropy(),
          r_drop(),  top_k(),      adam(),     muon(),          sgd()};
}

}  // namespace xf::tools::explain
