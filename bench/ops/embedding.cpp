#include "kernels/embedding.h"

#include <set>

#include "bench/ops/ops.h"
#include "tests/cases/embedding.h"

namespace xf::bench {

namespace {

constexpr int64_t kPositions = 7;  // of tests::embedding_indices

struct Tensors {
  Tensors(Inputs& in, int64_t N, int64_t V, int64_t D, float p)
      : indices(tests::embedding_indices(N, V, 1)),
        ids(in.ids(indices.ids)),
        positions(in.ids(indices.positions)),
        order(in.ids(indices.order)),
        table(in.random({V, D})),
        position_table(in.random({kPositions, D})),
        dx(in.random({N, D})),
        x(in.poisoned({N, D})),
        dtable(in.zero_sums({V, D})),
        scale(std::sqrt(static_cast<float>(D))),
        host_dropout(tests::test_dropout(p)),
        dropout(tests::dropout_on(in.target().device, host_dropout)) {}
  void forward() const {
    kernels::embedding_forward(ids, positions, table, position_table, scale, dropout, x);
  }
  void backward() const { kernels::embedding_backward(dx, ids, order, scale, dropout, dtable); }
  tests::EmbeddingIndices indices;
  Tensor ids, positions, order, table, position_table, dx, x, dtable;
  float scale;
  kernels::Dropout host_dropout, dropout;
};

void add(const Scope& scope, int64_t N, int64_t V, int64_t D, float p, std::vector<Case>& rows) {
  const auto indices = tests::embedding_indices(N, V, 1);
  const auto distinct =
      static_cast<int64_t>(std::set<int32_t>(indices.ids.begin(), indices.ids.end()).size());
  const double values = product(N, D) * scope.e(), numbers = 8 * product(N, 1);
  rows.push_back(case_of(
      scope.target, "embedding_forward", {N, V, D}, "",
      {values + product(distinct, D) * scope.e() + numbers, 3 * product(N, D)}, [=](Inputs& in) {
        const Tensors t(in, N, V, D, p);
        return Call{[t] { t.forward(); },
                    {{t.x}},
                    [t, D] {
                      return Expected{tests::embedding_reference(t.indices, tests::as_doubles(t.table),
                                                                 tests::as_doubles(t.position_table), t.scale,
                                                                 t.host_dropout, D)};
                    }};
      }));
  rows.push_back(
      case_of(scope.target, "embedding_backward", {N, V, D}, "",
              {values + 2 * product(distinct, D) * scope.a() + numbers, 2 * product(N, D)}, [=](Inputs& in) {
                const Tensors t(in, N, V, D, p);
                return Call{[t] { t.backward(); },
                            {{t.dtable}},
                            [t, V, D] {
                              return Expected{tests::embedding_backward_reference(
                                  tests::as_doubles(t.dx), t.indices.ids, t.scale, t.host_dropout, V, D)};
                            }};
              }));
}

void add_quantized(const Scope& scope, int64_t N, int64_t V, int64_t D, std::vector<Case>& rows) {
  if (scope.target.device != Device::cpu() || scope.target.dtype != DType::f32) return;
  const auto indices = tests::embedding_indices(N, V, 1);
  const auto distinct =
      static_cast<int64_t>(std::set<int32_t>(indices.ids.begin(), indices.ids.end()).size());
  const double numbers = 8 * product(N, 1);
  rows.push_back(case_of(
      scope.target, "quantized_embedding_forward", {N, V, D}, "",
      {product(N, D) * scope.e() + product(distinct, D) + numbers, 2 * product(N, D)}, [=](Inputs& in) {
        const Tensors t(in, N, V, D, 0);
        const kernels::QuantizedWeights table = tests::rounded_and_packed(t.table);
        return Call{
            [=] {
              kernels::quantized_embedding_forward(t.ids, t.positions, table, t.position_table, t.scale, t.x);
            },
            {{t.x}},
            [=] {
              return Expected{tests::quantized_embedding_reference(
                  t.indices, tests::as_doubles(t.table), tests::as_doubles(t.position_table), t.scale, D)};
            }};
      }));
}

}  // namespace

void embedding_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) {
    const nn::TransformerConfig& model = scope.model.config;
    add(scope, scope.model.tokens(), model.target_vocabulary, model.dim, model.dropout, rows);
    add_quantized(scope, scope.model.tokens(), model.target_vocabulary, model.dim, rows);
    return;
  }
  for (const tests::EmbeddingCase& c : tests::embedding_cases()) {
    add(scope, c.N, c.V, c.D, 0.3f, rows);
    add_quantized(scope, c.N, c.V, c.D, rows);
  }
}

}  // namespace xf::bench
