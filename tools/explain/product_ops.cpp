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

// One head.
k::AttentionShape one_head(Tensors& t) {
  return {1, std::ranges::max(sentences(t, "k_lengths", t.at("k").rows())), is_causal(t),
          1.0f / std::sqrt(static_cast<float>(t.at("x").width()))};
}

Tensor scaled_copy(const Tensor& x, float factor) {
  const Tensor y = like(x);
  k::scale(x, factor, y);
  return y;
}

// Where each sentence begins, and where the last one ends.
std::vector<int32_t> offsets_of(const std::vector<int32_t>& lengths) {
  std::vector<int32_t> offsets{0};
  for (const int32_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

struct Sentences {
  std::vector<int32_t> queries, keys;  // [B+1]

  explicit Sentences(Tensors& t)
      : queries(offsets_of(sentences(t, "x_lengths", t["x"].rows()))),
        keys(offsets_of(sentences(t, "k_lengths", t["k"].rows()))) {
    demand(queries.size() == keys.size(), "attention: x_lengths and k_lengths must be as many");
  }
  // Calls f(first query, queries, first key, keys) of each sentence.
  template <typename F>
  void each(const F& f) const {
    for (size_t b = 0; b + 1 < keys.size(); ++b)
      f(queries[b], queries[b + 1] - queries[b], keys[b], keys[b + 1] - keys[b]);
  }
};

// Every rule as one mask [1, Tq, Tk]: keys of the query's own sentence, and of these what causal and
// mask leave.
Tensor allowed_keys(Tensors& t) {
  const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
  const Tensor allowed = Tensor::zeros({1, Tq, Tk}, DType::i32), mask = mask_of(t, Tq, Tk);
  const bool causal = is_causal(t);
  Sentences(t).each([&](int64_t query, int64_t queries, int64_t key, int64_t keys) {
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t j = 0; j < (causal ? std::min(i + 1, keys) : keys); ++j) {
        const int64_t at = (query + i) * Tk + key + j;
        allowed.data<int32_t>()[at] = mask.defined() ? mask.data<int32_t>()[at] : 1;
      }
    }
  });
  return allowed;
}

// The kernel of attention knows sentences and the causal mask; with another mask it is what it is
// made of: products and a softmax.
void masked_attention_forward(Tensors& t) {
  const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
  const Tensor scores = t["p"].reshape({1, 1, Tq, Tk}), scaled = scaled_copy(t["x"], one_head(t).scale);
  k::matmul(scaled, k::Transpose::no, t["k"], k::Transpose::yes, k::Accumulate::no, t["p"]);
  k::softmax_forward(scores, {{}, false, allowed_keys(t)}, scores);
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

// The probabilities of each sentence at their rows and columns of p [Tq, Tk].
void show_weights(Tensors& t, const Sentences& of) {
  of.each([&](int64_t query, int64_t queries, int64_t key, int64_t keys) {
    const Tensor p = zeros(t, {1, 1, queries, keys});
    const auto alone = [](int64_t rows) { return Tensor::from(offsets_of({static_cast<int32_t>(rows)})); };
    k::attention_weights(t["x"].slice_rows(query, query + queries), t["k"].slice_rows(key, key + keys),
                         alone(queries), alone(keys), one_head(t), p);
    t["p"]
        .slice_rows(query, query + queries)
        .slice_columns(key, key + keys)
        .copy_from(p.reshape({queries, keys}));
  });
}

void attention_forward(Tensors& t) {
  const int64_t Tq = t["x"].rows(), Tk = t["k"].rows();
  t["y"] = like(t["x"]), t["p"] = zeros(t, {Tq, Tk});
  if (t.contains("mask")) return masked_attention_forward(t);
  const k::AttentionShape shape = one_head(t);
  const Sentences of(t);
  if (shape.is_long()) t["lse"] = zeros(t, {1, Tq});
  k::attention_forward(t["x"], t["k"], t["v"], Tensor::from(of.queries), Tensor::from(of.keys), shape, {},
                       t["y"], t["lse"]);
  show_weights(t, of);
}

void attention_backward(Tensors& t) {
  if (t.contains("mask")) return masked_attention_backward(t);
  const Sentences of(t);
  k::attention_backward(t["dy"], t["x"], t["k"], t["v"], t["y"], t["lse"], Tensor::from(of.queries),
                        Tensor::from(of.keys), one_head(t), {}, t["dx"], t["dk"], t["dv"]);
}

void plain_attention(Tensors& t) {
  const int64_t Tq = t["x"].rows(), Tk = t["k"].rows(), Dh = t["x"].width();
  const Tensor allowed = allowed_keys(t);
  const plain::AttentionHead head{
      Tq, Tk, Dh, Dh, Dh, 1 / std::sqrt(static_cast<double>(Dh)), false, allowed.data<int32_t>()};
  t["m"] = ones({Tq, Tk});
  plain::attention_forward(head, at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"), at(t, "p"), at(t, "y"));
  plain::attention_backward(head, at(t, "dy"), at(t, "x"), at(t, "k"), at(t, "v"), at(t, "m"), at(t, "p"),
                            at(t, "dx"), at(t, "dk"), at(t, "dv"));
}

Op attention() {
  return {
      "attention",
      "attention.md",
      {{"x", "1,0;0,1"},
       {"k", "1,0;0,1;1,1"},
       {"v", "1,2;3,4;5,6"},
       {"dy", "x"},
       {"x_lengths", "", true},
       {"k_lengths", "", true},
       {"causal", "", true},
       {"mask", "", true}},
      {{"AT2", "p_ij = softmax_j(c x_i . k_j),  c = 1 / sqrt(Dh)", {"p"}},
       {"AT4", "y_i = sum_j p_ij v_j", {"y"}},
       {"AT6", "dx_i = c sum_j ds_ij k_j,  ds_ij = p_ij (dp_ij - delta_i),  dp_ij = dy_i . v_j", {"dx"}, "x"},
       {"AT7", "dk_j = c sum_i ds_ij x_i", {"dk"}, "k"},
       {"AT8", "dv_j = sum_i p_ij dy_i", {"dv"}, "v"}},
      attention_forward,
      attention_backward,
      plain_attention};
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
