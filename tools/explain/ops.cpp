// The ops that can be explained: example, equations as on their page, and how to call both kernels.
#include <algorithm>

#include "core/error.h"
#include "kernels/adam.h"
#include "kernels/attention.h"
#include "kernels/cross_entropy.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/layer_norm.h"
#include "kernels/linear.h"
#include "kernels/plain/activation.h"
#include "kernels/plain/adam.h"
#include "kernels/plain/attention.h"
#include "kernels/plain/cross_entropy.h"
#include "kernels/plain/embedding.h"
#include "kernels/plain/layer_norm.h"
#include "kernels/plain/matmul.h"
#include "kernels/plain/residual_norm.h"
#include "kernels/plain/rms_norm.h"
#include "kernels/plain/softmax.h"
#include "kernels/plain/top_k.h"
#include "kernels/residual_norm.h"
#include "kernels/rms_norm.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "tools/explain/op.h"
#include "tools/nearest_name.h"

namespace xf::tools::explain {

namespace {

namespace k = kernels;
namespace plain = kernels::plain;

constexpr float kEps = 1e-5f;

double* at(Tensors& t, const char* name) { return t.at(name).data<double>(); }
int32_t* ids(Tensors& t, const char* name) { return t.at(name).data<int32_t>(); }
Tensor like(const Tensor& x) { return Tensor::zeros(x.shape(), x.dtype()); }
Tensor zeros(Tensors& t, Shape shape) { return Tensor::zeros(shape, t.at("x").dtype()); }
Tensor ones(Tensors& t) {
  const Tensor x = t.at("x"),
               one = Tensor::from(std::vector<double>(static_cast<size_t>(x.numel()), 1.0), x.shape());
  return one;
}

Op matmul() {
  const auto sizes = [](Tensors& t) {
    return std::array{t.at("x").rows(), t.at("w").width(), t.at("x").width()};
  };
  return {"matmul",
          "matmul.md",
          {{"x", "1,2,3;4,5,6"}, {"w", "1,0;0,1;2,-1"}, {"dy", "1,0;0,0"}},
          {{"MM1", "y_mn = sum_k x_mk w_kn", {"y"}},
           {"MM2", "dx = dy w^T", {"dx"}, "x"},
           {"MM3", "dw = x^T dy", {"dw"}, "w"}},
          [](Tensors& t) {
            t["y"] = zeros(t, {t.at("x").rows(), t.at("w").width()});
            k::matmul(t["x"], k::Transpose::no, t["w"], k::Transpose::no, k::Accumulate::no, t["y"]);
          },
          [](Tensors& t) {
            t["dx"] = like(t["x"]), t["dw"] = like(t["w"]);
            k::matmul(t["dy"], k::Transpose::no, t["w"], k::Transpose::yes, k::Accumulate::no, t["dx"]);
            k::matmul(t["x"], k::Transpose::yes, t["dy"], k::Transpose::no, k::Accumulate::no, t["dw"]);
          },
          [sizes](Tensors& t) {
            const auto [M, N, K] = sizes(t);
            t["y"] = zeros(t, {M, N}), t["dx"] = like(t["x"]), t["dw"] = like(t["w"]);
            plain::matmul(M, N, K, at(t, "x"), at(t, "w"), at(t, "y"));
            plain::matmul_backward(M, N, K, at(t, "dy"), at(t, "x"), at(t, "w"), at(t, "dx"), at(t, "dw"));
          }};
}

Op linear() {
  return {"linear",
          "matmul.md",
          {{"x", "1,2,3;4,5,6"}, {"w", "1,0,2;0,1,-1"}, {"bias", "0.5,-0.5"}, {"dy", "1,0;0,0"}},
          {{"LI1", "y = x w^T + bias", {"y"}},
           {"LI2", "dx = dy w", {"dx"}, "x"},
           {"LI3", "dw = dy^T x", {"dw"}, "w"},
           {"LI4", "dbias = sum_n dy_n", {"dbias"}, "bias"}},
          [](Tensors& t) {
            t["y"] = zeros(t, {t.at("x").rows(), t.at("w").rows()});
            k::linear_forward(t["x"], t["w"], t["bias"], t["y"]);
          },
          [](Tensors& t) {
            t["dx"] = like(t["x"]), t["dw"] = like(t["w"]), t["dbias"] = like(t["bias"]);
            k::linear_backward_input(t["dy"], t["w"], k::Accumulate::no, t["dx"]);
            k::linear_backward_weight(t["dy"], t["x"], t["dw"], t["dbias"]);
          },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), K = t.at("x").width(), M = t.at("w").rows();
            t["y"] = zeros(t, {N, M}), t["dx"] = like(t["x"]), t["dw"] = like(t["w"]),
            t["dbias"] = like(t["bias"]);
            plain::linear_forward(N, K, M, at(t, "x"), at(t, "w"), at(t, "bias"), at(t, "y"));
            plain::linear_backward(N, K, M, at(t, "dy"), at(t, "x"), at(t, "w"), at(t, "dx"), at(t, "dw"),
                                   at(t, "dbias"));
          }};
}

// The row is one of scores [1, 1, rows, keys].
Tensor as_scores(const Tensor& x) { return x.reshape({1, 1, x.rows(), x.width()}); }

Op softmax() {
  return {
      "softmax",
      "softmax.md",
      {{"x", "1,2,3"}, {"dy", "x"}},
      {{"SM1", "y_j = exp(x_j - top) / Z,  Z = sum_k exp(x_k - top)", {"y"}},
       {"SM3", "dx_j = y_j (dy_j - sum_i y_i dy_i)", {"dx"}, "x"}},
      [](Tensors& t) { t["y"] = like(t["x"]), k::softmax_forward(as_scores(t["x"]), {}, as_scores(t["y"])); },
      [](Tensors& t) {
        t["dx"] = like(t["x"]);
        k::softmax_backward(as_scores(t["dy"]), as_scores(t["y"]), as_scores(t["dx"]));
      },
      [](Tensors& t) {
        t["y"] = like(t["x"]), t["dx"] = like(t["x"]);
        const int64_t N = t.at("x").rows(), D = t.at("x").width();
        const auto all = [](int64_t) { return true; };
        for (int64_t n = 0; n < N; ++n) {
          plain::softmax_forward(D, all, at(t, "x") + n * D, at(t, "y") + n * D);
          plain::softmax_backward(D, at(t, "dy") + n * D, at(t, "y") + n * D, at(t, "dx") + n * D);
        }
      }};
}

Op layer_norm() {
  return {"layer_norm",
          "layer_norm.md",
          {{"x", "1,2,3,4"}, {"gamma", "row of 1"}, {"beta", "row of 0"}, {"dy", "x"}},
          {{"LN0", "xhat = (x - <x>) rstd,  y = gamma xhat + beta", {"mean", "rstd", "y"}},
           {"LN1", "dbeta = sum_n dy", {"dbeta"}, "beta"},
           {"LN2", "dgamma = sum_n dy xhat", {"dgamma"}, "gamma"},
           {"LN5", "dx = rstd (g - <g> - xhat <g xhat>),  g = dy gamma", {"dx"}, "x"}},
          [](Tensors& t) {
            t["y"] = like(t["x"]), t["mean"] = zeros(t, {t["x"].rows()}), t["rstd"] = like(t["mean"]);
            k::layer_norm_forward(t["x"], t["gamma"], t["beta"], kEps, t["y"], t["mean"], t["rstd"]);
          },
          [](Tensors& t) {
            t["dx"] = like(t["x"]), t["dgamma"] = like(t["gamma"]), t["dbeta"] = like(t["beta"]);
            k::layer_norm_backward(t["dy"], t["x"], t["gamma"], t["mean"], t["rstd"], t["dx"], t["dgamma"],
                                   t["dbeta"]);
          },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), D = t.at("x").width();
            t["y"] = like(t["x"]), t["mean"] = zeros(t, {N}), t["rstd"] = zeros(t, {N});
            t["dx"] = like(t["x"]), t["dgamma"] = like(t["gamma"]), t["dbeta"] = like(t["beta"]);
            plain::layer_norm_forward(N, D, static_cast<double>(kEps), at(t, "x"), at(t, "gamma"),
                                      at(t, "beta"), at(t, "y"), at(t, "mean"), at(t, "rstd"));
            plain::layer_norm_backward(N, D, at(t, "dy"), at(t, "x"), at(t, "gamma"), at(t, "mean"),
                                       at(t, "rstd"), at(t, "dx"), at(t, "dgamma"), at(t, "dbeta"));
          }};
}

Op rms_norm() {
  return {"rms_norm",
          "rms_norm.md",
          {{"x", "1,2,3,4"}, {"gamma", "row of 1"}, {"dy", "x"}},
          {{"RM0", "xhat = x rstd,  rstd = 1 / sqrt(<x^2> + eps),  y = gamma xhat", {"rstd", "y"}},
           {"RM1", "dgamma = sum_n dy xhat", {"dgamma"}, "gamma"},
           {"RM4", "dx = rstd (g - xhat <g xhat>),  g = dy gamma", {"dx"}, "x"}},
          [](Tensors& t) {
            t["y"] = like(t["x"]), t["rstd"] = zeros(t, {t["x"].rows()});
            k::rms_norm_forward(t["x"], t["gamma"], kEps, t["y"], t["rstd"]);
          },
          [](Tensors& t) {
            t["dx"] = like(t["x"]), t["dgamma"] = like(t["gamma"]);
            k::rms_norm_backward(t["dy"], t["x"], t["gamma"], t["rstd"], t["dx"], t["dgamma"]);
          },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), D = t.at("x").width();
            t["y"] = like(t["x"]), t["rstd"] = zeros(t, {N}), t["dx"] = like(t["x"]),
            t["dgamma"] = like(t["gamma"]);
            plain::rms_norm_forward(N, D, static_cast<double>(kEps), at(t, "x"), at(t, "gamma"), at(t, "y"),
                                    at(t, "rstd"));
            plain::rms_norm_backward(N, D, at(t, "dy"), at(t, "x"), at(t, "gamma"), at(t, "rstd"),
                                     at(t, "dx"), at(t, "dgamma"));
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
          {{"RN0", "sum = x + s,  y = layer_norm(sum)", {"sum", "y"}},
           {"RN1", "dx = (LN5 of dy) + dsum", {"dx"}, "x"},
           {"RN2", "ds = dx, without dropout", {"ds"}, "s"}},
          [](Tensors& t) {
            t["y"] = like(t["x"]), t["sum"] = like(t["x"]);
            t["mean"] = zeros(t, {t["x"].rows()}), t["rstd"] = like(t["mean"]);
            k::residual_norm_forward(t["x"], t["s"], {}, t["gamma"], t["beta"], kEps, t["sum"], t["y"],
                                     t["mean"], t["rstd"]);
          },
          [](Tensors& t) {
            t["dx"] = like(t["x"]), t["ds"] = like(t["x"]);
            t["dgamma"] = like(t["gamma"]), t["dbeta"] = like(t["beta"]);
            k::residual_norm_backward(t["dy"], t["dsum"], t["sum"], t["gamma"], t["mean"], t["rstd"], {},
                                      t["dx"], t["ds"], t["dgamma"], t["dbeta"]);
          },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), D = t.at("x").width();
            for (const char* name : {"y", "sum", "dx", "ds", "norm_dx"}) t[name] = like(t["x"]);
            t["mean"] = zeros(t, {N}), t["rstd"] = zeros(t, {N}), t["m"] = ones(t);
            t["dgamma"] = like(t["gamma"]), t["dbeta"] = like(t["beta"]);
            plain::residual(N * D, at(t, "x"), at(t, "s"), at(t, "m"), at(t, "sum"));
            plain::layer_norm_forward(N, D, static_cast<double>(kEps), at(t, "sum"), at(t, "gamma"),
                                      at(t, "beta"), at(t, "y"), at(t, "mean"), at(t, "rstd"));
            plain::layer_norm_backward(N, D, at(t, "dy"), at(t, "sum"), at(t, "gamma"), at(t, "mean"),
                                       at(t, "rstd"), at(t, "norm_dx"), at(t, "dgamma"), at(t, "dbeta"));
            plain::residual_backward(N * D, at(t, "norm_dx"), at(t, "dsum"), at(t, "m"), at(t, "dx"),
                                     at(t, "ds"));
          }};
}

Op activation(const char* name, k::Activation f, const Equation& value, const char* slope_id) {
  const bool relu = f == k::Activation::relu;
  return {name,
          "feed_forward.md",
          {{"x", "-2,-0.5,0.5,2"}, {"bias", "row of 0"}, {"dy", "x of 1"}},
          {value,
           {slope_id,
            relu ? "dx = dy where x + bias > 0, else 0" : "dx = dy (Phi(z) + z phi(z)),  z = x + bias",
            {"dx"},
            "x"},
           {"AC6", "dbias = sum_n dx", {"dbias"}, "bias"}},
          [f](Tensors& t) {
            t["y"] = like(t["x"]), k::bias_activation_forward(t["x"], t["bias"], f, {}, t["y"]);
          },
          [f, relu](Tensors& t) {
            t["dx"] = like(t["x"]), t["dbias"] = like(t["bias"]);
            k::bias_activation_backward(t["dy"], relu ? t["y"] : t["x"], t["bias"], f, {}, t["dx"],
                                        t["dbias"]);
          },
          [f](Tensors& t) {
            const int64_t N = t.at("x").rows(), F = t.at("x").width();
            t["y"] = like(t["x"]), t["dx"] = like(t["x"]), t["dbias"] = like(t["bias"]), t["m"] = ones(t);
            plain::bias_activation_forward(N, F, f, at(t, "x"), at(t, "bias"), at(t, "m"), at(t, "y"));
            plain::bias_activation_backward(N, F, f, at(t, "dy"), at(t, "x"), at(t, "bias"), at(t, "m"),
                                            at(t, "dx"), at(t, "dbias"));
          }};
}

// One sentence, one head.
k::AttentionShape one_head(const Tensors& t) {
  return {1, t.at("k").rows(), false, 1.0f / std::sqrt(static_cast<float>(t.at("x").width()))};
}
Tensor offsets(int64_t rows) { return Tensor::from(std::vector<int32_t>{0, static_cast<int32_t>(rows)}); }

Op attention() {
  return {
      "attention",
      "attention.md",
      {{"x", "1,0;0,1"}, {"k", "1,0;0,1;1,1"}, {"v", "1,2;3,4;5,6"}, {"dy", "x"}},
      {{"AT2", "p_ij = softmax_j(c x_i . k_j),  c = 1 / sqrt(Dh)", {"p"}},
       {"AT4", "y_i = sum_j p_ij v_j", {"y"}},
       {"AT6", "dx_i = c sum_j ds_ij k_j,  ds_ij = p_ij (dp_ij - delta_i),  dp_ij = dy_i . v_j", {"dx"}, "x"},
       {"AT7", "dk_j = c sum_i ds_ij x_i", {"dk"}, "k"},
       {"AT8", "dv_j = sum_i p_ij dy_i", {"dv"}, "v"}},
      [](Tensors& t) {
        const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
        const k::AttentionShape shape = one_head(t);
        t["y"] = like(t["x"]), t["p"] = zeros(t, {Tq, Tk});
        if (shape.is_long()) t["lse"] = zeros(t, {1, Tq});
        k::attention_forward(t["x"], t["k"], t["v"], offsets(Tq), offsets(Tk), shape, {}, t["y"], t["lse"]);
        k::attention_weights(t["x"], t["k"], offsets(Tq), offsets(Tk), shape, t["p"].reshape({1, 1, Tq, Tk}));
      },
      [](Tensors& t) {
        t["dx"] = like(t["x"]), t["dk"] = like(t["k"]), t["dv"] = like(t["v"]);
        k::attention_backward(t["dy"], t["x"], t["k"], t["v"], t["y"], t["lse"], offsets(t["x"].rows()),
                              offsets(t["k"].rows()), one_head(t), {}, t["dx"], t["dk"], t["dv"]);
      },
      [](Tensors& t) {
        const int64_t Tq = t["x"].rows(), Tk = t["k"].rows(), Dh = t["x"].width();
        const plain::AttentionHead head{Tq, Tk, Dh, Dh, 1 / std::sqrt(static_cast<double>(Dh)), false};
        t["y"] = like(t["x"]), t["p"] = zeros(t, {Tq, Tk});
        t["m"] = Tensor::from(std::vector<double>(static_cast<size_t>(Tq * Tk), 1.0), {Tq, Tk});
        t["dx"] = like(t["x"]), t["dk"] = like(t["k"]), t["dv"] = like(t["v"]);
        plain::attention_forward(head, at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"), at(t, "p"),
                                 at(t, "y"));
        plain::attention_backward(head, at(t, "dy"), at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"),
                                  at(t, "p"), at(t, "dx"), at(t, "dk"), at(t, "dv"));
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
            t["y"] = zeros(t, {1}), t["dx"] = like(t["x"]);
            const int64_t V = t["x"].width();
            for (int64_t n = 0; n < t["x"].rows(); ++n) {
              at(t, "y")[0] += plain::cross_entropy(V, ids(t, "target")[n], static_cast<double>(kSmoothing),
                                                    at(t, "x") + n * V, at(t, "dx") + n * V)
                                   .smoothed;
            }
          }};
}

Op embedding() {
  // Tokens sorted by id, stably.
  const auto order_of = [](Tensors& t) {
    std::vector<int32_t> order(static_cast<size_t>(t["id"].numel()));
    for (size_t n = 0; n < order.size(); ++n) order[n] = static_cast<int32_t>(n);
    std::ranges::stable_sort(order, {}, [&](int32_t n) { return ids(t, "id")[n]; });
    return Tensor::from(order);
  };
  // Tokens of one sentence; the scale is sqrt(D).
  const auto positions_of = [](Tensors& t) {
    std::vector<int32_t> positions(static_cast<size_t>(t["id"].numel()));
    for (size_t n = 0; n < positions.size(); ++n) positions[n] = static_cast<int32_t>(n);
    return Tensor::from(positions);
  };
  const auto scale_of = [](Tensors& t) { return std::sqrt(static_cast<float>(t["x"].width())); };
  return {"embedding",
          "embedding.md",
          {{"x", "1,2;3,4;5,6"}, {"id", "2,0,2", true}, {"dy", "1,0;0,1;1,1"}},
          {{"EM1", "y_n = sqrt(D) x[id_n] + P[n]", {"y"}},
           {"EM2", "dx[w] = sqrt(D) sum over n with id_n = w of dy_n", {"dx"}, "x"}},
          [=](Tensors& t) {
            t["y"] = zeros(t, {t["id"].numel(), t["x"].width()}), t["P"] = like(t["y"]);
            k::sinusoid_positions(k::PositionLayout::interleaved, t["P"]);
            k::embedding_forward(t["id"], positions_of(t), t["x"], t["P"], scale_of(t), {}, t["y"]);
          },
          [=](Tensors& t) {
            t["dx"] = like(t["x"]);
            k::embedding_backward(t["dy"], t["id"], order_of(t), scale_of(t), {}, t["dx"]);
          },
          [=](Tensors& t) {
            const int64_t N = t["id"].numel(), D = t["x"].width();
            t["y"] = zeros(t, {N, D}), t["P"] = like(t["y"]), t["dx"] = like(t["x"]);
            const Tensor m = Tensor::from(std::vector<double>(static_cast<size_t>(N * D), 1.0), {N, D});
            for (int64_t n = 0; n < N; ++n) {
              for (int64_t i = 0; i < D; ++i) at(t, "P")[n * D + i] = plain::sinusoid(n, i, D);
            }
            const double scale = std::sqrt(static_cast<double>(D));
            plain::embedding_forward(N, D, scale, ids(t, "id"), positions_of(t).data<int32_t>(), at(t, "x"),
                                     at(t, "P"), m.data<double>(), at(t, "y"));
            plain::embedding_backward(N, D, scale, at(t, "dy"), ids(t, "id"), m.data<double>(), at(t, "dx"));
          }};
}

constexpr double kRate = 0.001;

Op adam() {
  return {"adam",
          "adam.md",
          {{"x", "1,-2,3"}, {"dy", "0.5,-0.1,0"}},
          {{"AD2", "mu = (1 - beta1) dy,  the first update;  beta1 = 0.9", {"mu"}},
           {"AD3", "nu = (1 - beta2) dy^2;  beta2 = 0.98", {"nu"}},
           {"AD4", "y = x - rate mu_hat / (sqrt(nu_hat) + eps);  rate = 0.001", {"y"}}},
          [](Tensors& t) {
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
            t["y"] = like(t["x"]), t["mu"] = like(t["x"]), t["nu"] = like(t["x"]);
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
            const int64_t N = t["x"].rows();
            t["y"] = zeros(t, {N, kBest}), t["id"] = Tensor::zeros({N, kBest}, DType::i32);
            k::log_softmax_top_k(t["x"], Tensor::zeros({0}, DType::i32), t["y"], t["id"]);
          },
          [](Tensors&) {},
          [](Tensors& t) {
            const int64_t N = t["x"].rows(), V = t["x"].width();
            t["y"] = zeros(t, {N, kBest});
            std::vector<int32_t> best(static_cast<size_t>(kBest));
            for (int64_t n = 0; n < N; ++n) {
              plain::log_softmax_top_k(V, kBest, at(t, "x") + n * V, {}, at(t, "y") + n * kBest, best.data());
            }
          }};
}

}  // namespace

const std::vector<Op>& ops() {
  static const std::vector<Op> all{
      matmul(),
      linear(),
      softmax(),
      layer_norm(),
      rms_norm(),
      residual_norm(),
      activation("relu", k::Activation::relu, {"AC1", "y = max(0, x + bias)", {"y"}}, "AC2"),
      activation("gelu", k::Activation::gelu, {"AC3", "y = z Phi(z),  z = x + bias", {"y"}}, "AC4"),
      attention(),
      embedding(),
      cross_entropy(),
      top_k(),
      adam()};
  return all;
}

const Op& find_op(const std::string& name) {
  const auto found = std::ranges::find(ops(), name, &Op::name);
  if (found != ops().end()) return *found;
  std::vector<std::string> names;
  for (const Op& op : ops()) names.emplace_back(op.name);
  fail(ErrorKind::usage, "xformer-explain op: no op is called '{}'{} (one of {})", name,
       did_you_mean(name, names), fmt::join(names, ", "));
}

}  // namespace xf::tools::explain
