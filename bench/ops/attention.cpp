#include "kernels/attention.h"

#include "bench/ops/ops.h"
#include "tests/cases/attention.h"
#include "tests/cases/dropout_factor.h"

namespace xf::bench {

namespace {

using tests::as_doubles;
using tests::AttentionCase;

// q, k, v are columns of one wide matrix, as in a fused projection, or matrices of their own.
enum class Projection { fused, apart };
// Whether query heads share key heads: a row of another name, even where each has one.
enum class Keys { own, shared };

struct Tensors {
  Tensors(Inputs& in, const AttentionCase& of, float p, Projection projection = Projection::fused)
      : c(of),
        q_offsets(in.ids(tests::offsets_of(c.query_lengths))),
        k_offsets(in.ids(tests::offsets_of(c.key_lengths))),
        grad_o(in.random({c.Tq(), c.D()})),
        o(in.poisoned({c.Tq(), c.D()})),
        host_dropout(tests::test_dropout(p)),
        dropout(tests::dropout_on(in.target().device, host_dropout)) {
    projection == Projection::fused ? fuse(in) : keep_apart(in);
    shape = {.heads = c.heads,
             .max_keys = std::max<int64_t>(1, c.longest_key()),
             .causal = c.causal,
             .scale = c.scale()};
    if (shape.is_long()) lse = in.poisoned_sums({c.heads, c.Tq()});
  }
  void fuse(Inputs& in) {
    const int64_t D = c.D(), Dk = c.Dk(), width = D + 2 * Dk;
    const Tensor queries = in.random({c.Tq(), width}), keys = in.random({c.Tk(), width});
    const Tensor dqueries = in.poisoned({c.Tq(), width}), dkeys = in.poisoned({c.Tk(), width});
    q = queries.slice_columns(0, D), k = keys.slice_columns(D, D + Dk), v = keys.slice_columns(D + Dk, width);
    dq = dqueries.slice_columns(0, D), dk = dkeys.slice_columns(D, D + Dk),
    dv = dkeys.slice_columns(D + Dk, width);
  }
  void keep_apart(Inputs& in) {
    const Shape queries{c.Tq(), c.D()}, keys{c.Tk(), c.Dk()};
    q = in.random(queries), k = in.random(keys), v = in.random(keys);
    dq = in.poisoned(queries), dk = in.poisoned(keys), dv = in.poisoned(keys);
  }
  // [B, S, H, Dh] or [B, S, Hk, Dh], of sentences of one length.
  Tensor heads(const Tensor& x) const { return x.reshape({c.B(), x.rows() / c.B(), x.width() / c.Dh, c.Dh}); }
  Operands forward_operands() const {
    return {{{"q", heads(q)}, {"k", heads(k)}, {"v", heads(v)}, {"o", heads(o)}}, numbers()};
  }
  Operands backward_operands() const {
    return {{{"grad_o", heads(grad_o)},
             {"q", heads(q)},
             {"k", heads(k)},
             {"v", heads(v)},
             {"o", heads(o)},
             {"dq", heads(dq)},
             {"dk", heads(dk)},
             {"dv", heads(dv)}},
            numbers()};
  }
  std::vector<std::pair<std::string, double>> numbers() const {
    return {{"scale", c.scale()}, {"causal", c.causal ? 1 : 0}};
  }
  void forward() const { kernels::attention_forward(q, k, v, q_offsets, k_offsets, shape, dropout, o, lse); }
  void backward() const {
    kernels::attention_backward(grad_o, q, k, v, o, lse, q_offsets, k_offsets, shape, dropout, dq, dk, dv);
  }
  auto factor() const {
    return [this](int64_t token, int64_t h, int64_t j) {
      return tests::dropout_factor(host_dropout, token, (h << 16) + j);
    };
  }
  tests::AttentionReference reference() const {
    return tests::attention_reference(c, as_doubles(q), as_doubles(k), as_doubles(v), factor());
  }
  tests::AttentionGradients gradients() const {
    return tests::attention_gradients(c, as_doubles(q), as_doubles(k), as_doubles(v), as_doubles(grad_o),
                                      reference().p, factor());
  }
  AttentionCase c;
  Tensor q_offsets, k_offsets, grad_o, o, q, k, v, dq, dk, dv, lse;
  kernels::AttentionShape shape;
  kernels::Dropout host_dropout, dropout;
};

// Pairs of a query and a key that it sees, in one head.
double pairs_of(const AttentionCase& c) {
  double pairs = 0;
  tests::for_each_head(c, [&](const auto& head, int64_t h, auto...) {
    for (int64_t i = 0; h == 0 && i < head.Tq; ++i) {
      pairs += static_cast<double>(head.causal ? std::min(i + 1, head.Tk) : head.Tk);
    }
  });
  return pairs;
}

std::string variant_of(const AttentionCase& c) {
  std::string variant = c.query_lengths == c.key_lengths ? "self" : "cross";
  if (c.causal) variant += " causal";
  return variant;
}

void add(const Scope& scope, const AttentionCase& c, float p, std::vector<Case>& rows, Keys keys = Keys::own,
         Projection projection = Projection::fused) {
  const double of_q = product(c.Tq(), c.D()) * scope.e(), of_k = product(c.Tk(), c.Dk()) * scope.e();
  const double products =
      pairs_of(c) * product(c.D(), 2);  // one of the two of forward, or of the five of backward
  std::vector<int64_t> dims{c.B(), c.longest_query(), c.longest_key(), c.heads, c.Dh};
  if (keys == Keys::shared)
    dims = {c.B(), c.longest_query(), c.longest_key(), c.heads / c.group, c.group, c.Dh};
  const std::string fn = keys == Keys::shared ? "grouped_attention" : "attention";
  rows.push_back(
      case_of(scope.target, fn + "_forward", dims, variant_of(c), {2 * of_q + 2 * of_k, 2 * products},
              [=](Inputs& in) {
                const Tensors t(in, c, p, projection);
                Call call{[t] { t.forward(); }, {{t.o}}, [t] { return Expected{t.reference().o}; }};
                if (projection == Projection::apart) call.operands = t.forward_operands();
                return call;
              }));
  rows.push_back(case_of(scope.target, fn + "_backward", dims, variant_of(c),
                         {3 * of_q + 4 * of_k, 5 * products}, [=](Inputs& in) {
                           const Tensors t(in, c, p, projection);
                           t.forward();
                           Call call{[t] { t.backward(); },
                                     {{t.dq, 4, 1e-2}, {t.dk, 4, 1e-2}, {t.dv, 4, 1e-2}},
                                     [t] {
                                       const auto g = t.gradients();
                                       return Expected{g.dq, g.dk, g.dv};
                                     }};
                           if (projection == Projection::apart) call.operands = t.backward_operands();
                           return call;
                         }));
}

Case weights(const Scope& scope, const AttentionCase& c) {
  const double probabilities = product(c.B() * c.heads, c.longest_query(), c.longest_key());
  return case_of(
      scope.target, "attention_weights", {c.B(), c.longest_query(), c.longest_key(), c.heads, c.Dh},
      variant_of(c),
      {(product(c.Tq() + c.Tk(), c.D()) + probabilities) * scope.e(), pairs_of(c) * product(c.D(), 2)},
      [=](Inputs& in) {
        const Tensors t(in, c, 0);
        const Tensor p = in.poisoned({c.B(), c.heads, c.longest_query(), c.longest_key()});
        return Call{[t, p] { kernels::attention_weights(t.q, t.k, t.q_offsets, t.k_offsets, t.shape, p); },
                    {{p}},
                    [t] { return Expected{t.reference().p}; }};
      });
}

// A step of decoding: each query has a sentence of keys of its own in the cache, in order.
Case step(const Scope& scope, const AttentionCase& c) {
  const int64_t R = c.B(), S = c.longest_key();
  return case_of(
      scope.target, "attention_step", {R, S, c.heads, c.Dh}, "",
      {2 * product(R + R * S, c.D()) * scope.e(), 4 * product(R * S, c.D())}, [=](Inputs& in) {
        const Tensors t(in, c, 0);
        std::vector<int32_t> rows(static_cast<size_t>(R * S));
        std::iota(rows.begin(), rows.end(), 0);
        const Tensor table = in.ids(rows, {R, S}), lengths = in.ids(c.key_lengths);
        return Call{[=] { kernels::attention_step(t.q, t.k, t.v, table, lengths, c.heads, c.scale(), t.o); },
                    {{t.o}},
                    [t] { return Expected{t.reference().o}; }};
      });
}

AttentionCase sentences(int64_t heads, int64_t Dh, int64_t B, int64_t queries, int64_t keys, bool causal,
                        int64_t group = 1) {
  const auto repeated = [B](int64_t length) {
    return std::vector<int32_t>(static_cast<size_t>(B), static_cast<int32_t>(length));
  };
  return {"", heads, Dh, repeated(queries), repeated(keys), causal, 0, group};
}

}  // namespace

// Self-attention of whole sentences, q, k and v apart, without dropout.
void attention_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  const int64_t B = size_of(sizes, "B"), S = size_of(sizes, "S"), H = size_of(sizes, "H");
  for (const bool causal : {false, true})
    add(scope, sentences(H, size_of(sizes, "Dh"), B, S, S, causal), 0, rows, Keys::own, Projection::apart);
}

void grouped_attention_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  const int64_t B = size_of(sizes, "B"), S = size_of(sizes, "S"), G = size_of(sizes, "G");
  const int64_t H = size_of(sizes, "Hk") * G;
  for (const bool causal : {false, true})
    add(scope, sentences(H, size_of(sizes, "Dh"), B, S, S, causal, G), 0, rows, Keys::shared,
        Projection::apart);
}

// A model's: the encoder's and, the same, the cross-attention; the decoder's, also with pairs of
// heads that share keys; a long sentence; a step of a beam of 5 over 64 sentences.
void attention_rows(const Scope& scope, std::vector<Case>& rows) {
  if (scope.odd()) {
    for (const auto& cases : {tests::attention_cases(), tests::long_attention_cases()}) {
      for (const AttentionCase& c : cases) {
        add(scope, c, 0.3f, rows, c.group > 1 ? Keys::shared : Keys::own);
        rows.push_back(weights(scope, c));
      }
    }
    for (const int64_t S : {1, 31, 33}) rows.push_back(step(scope, sentences(3, 37, 7, 1, S, false)));
    return;
  }
  const int64_t B = scope.model.sentences, S = scope.model.length, H = scope.model.config.heads;
  const int64_t Dh = scope.model.config.dim / H, hypotheses = 5 * std::min<int64_t>(64, B);
  constexpr int64_t kLong = 256;
  for (const bool causal : {false, true})
    add(scope, sentences(H, Dh, B, S, S, causal), scope.model.config.attention_dropout, rows);
  if (H % 2 == 0) add(scope, sentences(H, Dh, B, S, S, true, 2), 0, rows, Keys::shared);
  add(scope, sentences(H, Dh, std::max<int64_t>(1, B * S / kLong), kLong, kLong, true), 0, rows);
  rows.push_back(weights(scope, sentences(H, Dh, B, S, S, false)));
  rows.push_back(step(scope, sentences(H, Dh, hypotheses, 1, S, false)));
}

}  // namespace xf::bench
