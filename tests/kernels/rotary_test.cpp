// Expectations: the definition in f64 (kernels/plain/rotary.h), central differences, and what a
// rotation is.
#include "kernels/rotary.h"

#include <numeric>

#include "tests/cases/rotary.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

const Target kCpu32{Device::cpu(), DType::f32}, kCpu64{Device::cpu(), DType::f64};

Tensor table_of(const Target& t, int64_t S, int64_t P) {
  const Tensor table = Tensor::empty({S, 2 * P}, t.accumulator());
  rotary_table(kRotaryBase, table);
  return table.to(t.device);
}

// x and its gradient are the middle columns of a wider matrix, as in a fused projection.
struct Op {
  Op(const RotaryCase& c, const Target& t) : places(places_in_sentences(c.tokens)) {
    const int64_t D = c.D();
    x = t.random({c.tokens, 3 * D}, 1).slice_columns(D, 2 * D);
    dx = t.poisoned({c.tokens, 3 * D}).slice_columns(D, 2 * D);
    dy = t.random({c.tokens, D}, 2), y = t.poisoned({c.tokens, D});
    positions = t.ids(places), table = table_of(t, kRotaryPositions, c.P);
  }
  void forward() const { rotary_forward(x, positions, table, y); }
  void backward() const { rotary_backward(dy, positions, table, dx); }
  void run() const { forward(), backward(); }
  std::vector<Tensor> results() const { return {y, dx}; }
  std::vector<int32_t> places;
  Tensor x, dy, y, dx, positions, table;
};

}  // namespace

// RO0, RO1, RO2
TEST_CASE("Rotary: forward and backward match the definition", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RotaryCase& c : rotary_cases()) {
      INFO(c.why << ", " << name_of(t));
      const Op op(c, t);
      op.run();
      const auto expected = rotary_reference(c.H, c.P, as_doubles(op.x), as_doubles(op.dy), op.places);
      CHECK(max_relative_error(op.y, expected.y) < t.forward_tolerance());
      CHECK(max_relative_error(op.dx, expected.dx) < t.gradient_tolerance());
    }
  }
}

TEST_CASE("Rotary: gradients match central differences", "[grad]") {
  for (const RotaryCase& c : rotary_cases()) {
    if (c.tokens * c.D() > 600) continue;
    const Op op(c, kCpu64);
    op.run();
    const auto loss = [&] {
      op.forward();
      return weighted_sum(op.y, op.dy);
    };
    INFO(c.why);
    CHECK(gradient_error(loss, op.x, op.dx) < 1e-6);
  }
}

// With one pair the angle is the position, in radians.
TEST_CASE("Rotary: a pair at positions 0 to 3 turns by as many radians", "[golden][device]") {
  for (const Target& t : targets()) {
    const Tensor x = t.tensor({1, 0, 1, 0, 0, 1, 3, 4}, {4, 2}), y = t.poisoned({4, 2});
    rotary_forward(x, t.ids({0, 1, 2, 3}), table_of(t, 4, 1), y);
    const double c1 = 0.5403023058681398, s1 = 0.8414709848078965;   // cos 1, sin 1
    const double c2 = -0.4161468365471424, s2 = 0.9092974268256817;  // cos 2, sin 2
    const double c3 = -0.9899924966004454, s3 = 0.1411200080598672;  // cos 3, sin 3
    CHECK(max_relative_error(y, {1, 0, c1, s1, -s2, c2, 3 * c3 - 4 * s3, 3 * s3 + 4 * c3}) <
          t.forward_tolerance());
  }
}

TEST_CASE("Rotary: a score knows of the distance of its tokens and of nothing else", "[unit]") {
  constexpr int64_t kPairs = 16;
  const Tensor q = kCpu64.random({1, 2 * kPairs}, 1), k = kCpu64.random({1, 2 * kPairs}, 2);
  const auto score = [&](int32_t of_query, int32_t of_key) {
    const Tensor turned_q = kCpu64.poisoned({1, 2 * kPairs}), turned_k = kCpu64.poisoned({1, 2 * kPairs});
    rotary_forward(q, kCpu64.ids({of_query}), table_of(kCpu64, kRotaryPositions, kPairs), turned_q);
    rotary_forward(k, kCpu64.ids({of_key}), table_of(kCpu64, kRotaryPositions, kPairs), turned_k);
    const auto a = as_doubles(turned_q), b = as_doubles(turned_k);
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  CHECK(score(40, 33) == Approx(score(7, 0)).epsilon(1e-12));
  CHECK(score(33, 40) == Approx(score(0, 7)).epsilon(1e-12));
  CHECK(std::abs(score(40, 33) - score(40, 34)) > 1e-3);
}

TEST_CASE("Rotary: backward undoes forward, in place, and position 0 changes nothing", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const RotaryCase& c : {RotaryCase{"packs", 33, 3, 16}, RotaryCase{"odd", 9, 2, 7}}) {
      INFO(c.why << ", " << name_of(t));
      const Op op(c, t);
      const auto before = as_doubles(op.x);
      op.forward();
      rotary_forward(op.x, op.positions, op.table, op.x);
      CHECK(same_bits(op.x, op.y));
      rotary_backward(op.x, op.positions, op.table, op.x);
      CHECK(max_relative_error(op.x, before) < t.gradient_tolerance());
      const Tensor y = t.poisoned({c.tokens, c.D()});
      rotary_forward(op.dy, t.ids(std::vector<int32_t>(static_cast<size_t>(c.tokens), 0)), op.table, y);
      CHECK(same_bits(y, op.dy));
    }
  }
}

TEST_CASE("Rotary: same bits at one and two threads, and wherever the rows lie", "[unit][device]") {
  const RotaryCase c{"several threads", 301, 3, 24};
  CHECK(same_bits_at_any_thread_count([&] {
    const Op op(c, kCpu32);
    op.run();
    return op.results();
  }));
  for (const Target& t : targets()) {
    INFO(name_of(t));
    const Op op(c, t);
    Op odd(c, t);
    for (Tensor* x : {&odd.x, &odd.dy, &odd.y, &odd.dx, &odd.table}) *x = odd_view(*x);
    op.run(), odd.run();
    for (size_t i = 0; i < op.results().size(); ++i) CHECK(same_bits(odd.results()[i], op.results()[i]));
  }
}

TEST_CASE("Rotary: an empty batch and a meta tensor do nothing", "[unit][device]") {
  for (const Target& t : targets()) Op({"", 0, 2, 3}, t).run();
  const auto meta = [](Shape shape, DType dtype) { return Tensor::empty(shape, dtype, Device::meta()); };
  rotary_forward(meta({2, 4}, DType::f32), meta({2}, DType::i32), meta({5, 4}, DType::f32),
                 meta({2, 4}, DType::f32));
}

TEST_CASE("Rotary: rejects wrong heads, positions and tables by name", "[unit]") {
  const Op op({"", 2, 2, 2}, kCpu32);
  const Tensor table = table_of(kCpu32, 5, 2);
  CHECK_THROWS_WITH(rotary_forward(op.x, op.positions, table_of(kCpu32, 5, 3), op.y),
                    "rotary: heads are as wide as the table, an even number that divides the width 8, got 6");
  CHECK_THROWS_WITH(rotary_forward(op.x, kCpu32.ids({0, 5}), table, op.y),
                    "rotary: positions[1] must be in 0..4, got 5");
  CHECK_THROWS_WITH(rotary_backward(op.dy, kCpu32.ids({-1, 0}), table, op.dx),
                    "rotary: positions[0] must be in 0..4, got -1");
  CHECK_THROWS_WITH(rotary_table(10000, Tensor::zeros({5, 3}, DType::f32)),
                    "rotary_table: table must be [S, Dh] with an even Dh, got [5, 3]");
}
