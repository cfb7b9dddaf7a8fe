#include "kernels/rotary.h"

#include "bench/ops/ops.h"
#include "tests/cases/rotary.h"

namespace xf::bench {

namespace {

// B sentences of S tokens, H heads of P pairs.
struct Tensors {
  Tensors(Inputs& in, int64_t B, int64_t S, int64_t H, int64_t P)
      : shape{B, S, H, 2 * P},
        x(in.random({B * S, H * 2 * P})),
        dy(in.random({B * S, H * 2 * P})),
        y(in.poisoned({B * S, H * 2 * P})),
        dx(in.poisoned({B * S, H * 2 * P})),
        table(in.poisoned_sums({S, 2 * P})) {
    for (int64_t t = 0; t < B * S; ++t) places.push_back(static_cast<int32_t>(t % S));
    positions = in.ids(places);
    const Tensor angles = Tensor::empty(table.shape(), table.dtype());
    kernels::rotary_table(tests::kRotaryBase, angles);
    table.copy_from(angles);
  }
  void forward() const { kernels::rotary_forward(x, positions, table, y); }
  void backward() const { kernels::rotary_backward(dy, positions, table, dx); }
  Operands forward_operands() const {
    return {{{"x", x.reshape(shape)}, {"table", table}, {"y", y.reshape(shape)}}};
  }
  Operands backward_operands() const {
    return {{{"dy", dy.reshape(shape)}, {"table", table}, {"dx", dx.reshape(shape)}}};
  }
  tests::RotaryReference reference() const {
    return tests::rotary_reference(shape[2], shape[3] / 2, tests::as_doubles(x), tests::as_doubles(dy),
                                   places);
  }
  Shape shape;
  std::vector<int32_t> places;
  Tensor x, dy, y, dx, table, positions;
};

void add(const Scope& scope, int64_t B, int64_t S, int64_t H, int64_t P, std::vector<Case>& rows) {
  const double values = product(B * S, H, 2 * P), table = product(S, 2 * P) * scope.a();
  const Work work{2 * values * scope.e() + table + product(B, S, 4), 3 * values};
  rows.push_back(case_of(scope.target, "rotary_forward", {B, S, H, P}, "", work, [=](Inputs& in) {
    const Tensors t(in, B, S, H, P);
    return Call{
        [t] { t.forward(); }, {{t.y}}, [t] { return Expected{t.reference().y}; }, t.forward_operands()};
  }));
  rows.push_back(case_of(scope.target, "rotary_backward", {B, S, H, P}, "", work, [=](Inputs& in) {
    const Tensors t(in, B, S, H, P);
    return Call{
        [t] { t.backward(); }, {{t.dx}}, [t] { return Expected{t.reference().dx}; }, t.backward_operands()};
  }));
}

}  // namespace

void rotary_at(const Scope& scope, const Extents& sizes, std::vector<Case>& rows) {
  add(scope, size_of(sizes, "B"), size_of(sizes, "S"), size_of(sizes, "H"), size_of(sizes, "P"), rows);
}

void rotary_rows(const Scope& scope, std::vector<Case>& rows) {
  if (!scope.odd()) {
    const nn::TransformerConfig& config = scope.model.config;
    add(scope, scope.model.sentences, scope.model.length, config.heads, config.dim / config.heads / 2, rows);
    return;
  }
  for (const tests::RotaryCase& c : tests::rotary_cases()) add(scope, 1, c.tokens, c.H, c.P, rows);
}

}  // namespace xf::bench
