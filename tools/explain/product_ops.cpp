// Products, attention and the embedding: example, equations as on their page, and how to call both
// kernels.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/linear.h"
#include "kernels/plain/attention.h"
#include "kernels/plain/embedding.h"
#include "kernels/plain/matmul.h"
#include "kernels/softmax.h"
#include "tools/explain/op_table.h"

namespace xf::tools::explain {

namespace {

namespace k = kernels;
namespace plain = kernels::plain;

Op matmul() {
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
            k::matmul(t["dy"], k::Transpose::no, t["w"], k::Transpose::yes, k::Accumulate::no, t["dx"]);
            k::matmul(t["x"], k::Transpose::yes, t["dy"], k::Transpose::no, k::Accumulate::no, t["dw"]);
          },
          [](Tensors& t) {
            const int64_t M = t["x"].rows(), N = t["w"].width(), K = t["x"].width();
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
            k::linear_backward_input(t["dy"], t["w"], k::Accumulate::no, t["dx"]);
            k::linear_backward_weight(t["dy"], t["x"], k::Accumulate::no, t["dw"], t["dbias"]);
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

// One sentence, one head.
k::AttentionShape one_head(Tensors& t) {
  return {1, t.at("k").rows(), is_causal(t), 1.0f / std::sqrt(static_cast<float>(t.at("x").width()))};
}

Tensor scaled_copy(const Tensor& x, float factor) {
  const Tensor y = like(x);
  k::scale(x, factor, y);
  return y;
}

// The kernel of attention knows no mask but the causal one; with another it is what it is made of:
// products and a softmax.
void masked_attention_forward(Tensors& t, const Tensor& mask) {
  const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
  const Tensor scores = t["p"].reshape({1, 1, Tq, Tk}), scaled = scaled_copy(t["x"], one_head(t).scale);
  k::matmul(scaled, k::Transpose::no, t["k"], k::Transpose::yes, k::Accumulate::no, t["p"]);
  k::softmax_forward(scores, {{}, is_causal(t), mask}, scores);
  k::matmul(t["p"], k::Transpose::no, t["v"], k::Transpose::no, k::Accumulate::no, t["y"]);
}

void masked_attention_backward(Tensors& t) {
  const Tensor ds = like(t["p"]), queries = scaled_copy(t["x"], one_head(t).scale),
               keys = scaled_copy(t["k"], one_head(t).scale);
  k::matmul(t["dy"], k::Transpose::no, t["v"], k::Transpose::yes, k::Accumulate::no, ds);
  k::softmax_backward(ds, t["p"], ds);
  k::matmul(ds, k::Transpose::no, keys, k::Transpose::no, k::Accumulate::no, t["dx"]);
  k::matmul(ds, k::Transpose::yes, queries, k::Transpose::no, k::Accumulate::no, t["dk"]);
  k::matmul(t["p"], k::Transpose::yes, t["dy"], k::Transpose::no, k::Accumulate::no, t["dv"]);
}

Tensor offsets(int64_t rows) { return Tensor::from(std::vector<int32_t>{0, static_cast<int32_t>(rows)}); }

Op attention() {
  return {
      "attention",
      "attention.md",
      {{"x", "1,0;0,1"},
       {"k", "1,0;0,1;1,1"},
       {"v", "1,2;3,4;5,6"},
       {"dy", "x"},
       {"mask", "", true},
       {"causal", "", true}},
      {{"AT2", "p_ij = softmax_j(c x_i . k_j),  c = 1 / sqrt(Dh)", {"p"}},
       {"AT4", "y_i = sum_j p_ij v_j", {"y"}},
       {"AT6", "dx_i = c sum_j ds_ij k_j,  ds_ij = p_ij (dp_ij - delta_i),  dp_ij = dy_i . v_j", {"dx"}, "x"},
       {"AT7", "dk_j = c sum_i ds_ij x_i", {"dk"}, "k"},
       {"AT8", "dv_j = sum_i p_ij dy_i", {"dv"}, "v"}},
      [](Tensors& t) {
        const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
        const k::AttentionShape shape = one_head(t);
        t["y"] = like(t["x"]), t["p"] = zeros(t, {Tq, Tk});
        if (const Tensor mask = mask_of(t, Tq, Tk); mask.defined()) return masked_attention_forward(t, mask);
        if (shape.is_long()) t["lse"] = zeros(t, {1, Tq});
        k::attention_forward(t["x"], t["k"], t["v"], offsets(Tq), offsets(Tk), shape, {}, t["y"], t["lse"]);
        k::attention_weights(t["x"], t["k"], offsets(Tq), offsets(Tk), shape, t["p"].reshape({1, 1, Tq, Tk}));
      },
      [](Tensors& t) {
        if (t.contains("mask")) return masked_attention_backward(t);
        k::attention_backward(t["dy"], t["x"], t["k"], t["v"], t["y"], t["lse"], offsets(t["x"].rows()),
                              offsets(t["k"].rows()), one_head(t), {}, t["dx"], t["dk"], t["dv"]);
      },
      [](Tensors& t) {
        const int64_t Tq = t["x"].rows(), Tk = t["k"].rows(), Dh = t["x"].width();
        const Tensor mask = mask_of(t, Tq, Tk);
        const plain::AttentionHead head{Tq,           Tk,
                                        Dh,           Dh,
                                        Dh,           1 / std::sqrt(static_cast<double>(Dh)),
                                        is_causal(t), mask.defined() ? mask.data<int32_t>() : nullptr};
        t["m"] = ones({Tq, Tk});
        plain::attention_forward(head, at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"), at(t, "p"),
                                 at(t, "y"));
        plain::attention_backward(head, at(t, "dy"), at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"),
                                  at(t, "p"), at(t, "dx"), at(t, "dk"), at(t, "dv"));
      }};
}

// Tokens sorted by id, stably.
Tensor order_of(Tensors& t) {
  std::vector<int32_t> order(static_cast<size_t>(t["id"].numel()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t n) { return ids(t, "id")[n]; });
  return Tensor::from(order);
}

// Tokens of one sentence.
Tensor positions_of(Tensors& t) {
  std::vector<int32_t> positions(static_cast<size_t>(t["id"].numel()));
  std::iota(positions.begin(), positions.end(), 0);
  return Tensor::from(positions);
}

// The scale c of (EM1) and the table P of positions: sqrt(D) and sinusoids, or of the look-up alone
// 1 and zeros.
enum class Embedding { with_positions, alone };

double scale_of(Tensors& t, Embedding embedding) {
  return embedding == Embedding::alone ? 1 : std::sqrt(static_cast<double>(t["x"].width()));
}

void embedding_forward(Tensors& t, Embedding embedding) {
  t["y"] = zeros(t, {t["id"].numel(), t["x"].width()}), t["P"] = like(t["y"]);
  if (embedding == Embedding::with_positions) k::sinusoid_positions(k::PositionLayout::interleaved, t["P"]);
  k::embedding_forward(t["id"], positions_of(t), t["x"], t["P"], static_cast<float>(scale_of(t, embedding)),
                       {}, t["y"]);
}

void plain_embedding(Tensors& t, Embedding embedding) {
  const int64_t N = t["id"].numel(), D = t["x"].width();
  const Tensor m = ones({N, D});
  for (int64_t n = 0; n < N && embedding == Embedding::with_positions; ++n) {
    for (int64_t i = 0; i < D; ++i) at(t, "P")[n * D + i] = plain::sinusoid(n, i, D);
  }
  const double scale = scale_of(t, embedding);
  plain::embedding_forward(N, D, scale, ids(t, "id"), positions_of(t).data<int32_t>(), at(t, "x"), at(t, "P"),
                           m.data<double>(), at(t, "y"));
  plain::embedding_backward(N, D, scale, at(t, "dy"), ids(t, "id"), m.data<double>(), at(t, "dx"));
}

Op embedding_op(const char* name, Embedding embedding, const char* value, const char* gradient) {
  return {name,
          "embedding.md",
          {{"x", "1,2;3,4;5,6"}, {"id", "2,0,2", true}, {"dy", "x[id]"}},
          {{"EM1", value, {"y"}}, {"EM2", gradient, {"dx"}, "x"}},
          [=](Tensors& t) { embedding_forward(t, embedding); },
          [=](Tensors& t) {
            k::embedding_backward(t["dy"], t["id"], order_of(t), static_cast<float>(scale_of(t, embedding)),
                                  {}, t["dx"]);
          },
          [=](Tensors& t) { plain_embedding(t, embedding); }};
}

}  // namespace

std::vector<Op> product_ops() {
  return {matmul(), linear(), attention(),
          embedding_op("embedding", Embedding::with_positions, "y_n = sqrt(D) x[id_n] + P[n]",
                       "dx[w] = sqrt(D) sum over n with id_n = w of dy_n"),
          embedding_op("lookup", Embedding::alone, "y_n = x[id_n]: c = 1, P = 0",
                       "dx[w] = sum over n with id_n = w of dy_n")};
}

}  // namespace xf::tools::explain
