#include "kernels/embedding.h"

#include "tests/cases/embedding.h"
#include "tests/support/catch.h"
#include "tests/support/gradcheck.h"
#include "tests/support/odd_view.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::tests;
using xf::kernels::Dropout;
using xf::kernels::embedding_backward;
using xf::kernels::embedding_forward;
using xf::kernels::PositionLayout;
using xf::kernels::quantized_embedding_forward;
using xf::kernels::sinusoid_positions;

namespace {

constexpr float kScale = 11.25f;
constexpr int64_t kPositions = 7;

struct Op {
  EmbeddingIndices indices;
  Dropout host_dropout, dropout;
  Tensor ids, positions, order, table, position_table, dx, x, dtable;

  Op(int64_t N, int64_t V, int64_t D, const Target& t, float p)
      : indices(embedding_indices(N, V, 9)),
        host_dropout(test_dropout(p, 2)),
        dropout(dropout_on(t.device, host_dropout)) {
    ids = t.ids(indices.ids), positions = t.ids(indices.positions), order = t.ids(indices.order);
    table = t.random({V, D}, 1), position_table = t.random({kPositions, D}, 2);
    dx = t.random({N, D}, 3);
    x = t.poisoned({N, D}), dtable = t.sums(random_values(V * D, 4), {V, D});
  }
  void forward() const { embedding_forward(ids, positions, table, position_table, kScale, dropout, x); }
  void backward() const { embedding_backward(dx, ids, order, kScale, dropout, dtable); }
  void run() const { forward(), backward(); }
};

const Target kF32{Device::cpu(), DType::f32}, kF64{Device::cpu(), DType::f64};

std::vector<double> positions_row(PositionLayout layout, int64_t D, int64_t position) {
  const Tensor table = poisoned({position + 1, D}, DType::f64);
  sinusoid_positions(layout, table);
  return table.slice_rows(position, position + 1).to_vector<double>();
}

}  // namespace

// EM1, EM2
TEST_CASE("Embedding: forward and backward match the definition, with and without dropout",
          "[unit][device]") {
  for (const Target& t : targets()) {
    for (const float p : {0.0f, 0.3f}) {
      for (const EmbeddingCase& c : embedding_cases()) {
        const Op op(c.N, c.V, c.D, t, p);
        auto dtable = as_doubles(op.dtable);
        const auto added = embedding_backward_reference(as_doubles(op.dx), op.indices.ids, kScale,
                                                        op.host_dropout, c.V, c.D);
        for (size_t i = 0; i < dtable.size(); ++i) dtable[i] += added[i];
        op.run();
        INFO(c.why << ", p " << p << ", " << name_of(t));
        CHECK(max_relative_error(
                  op.x, embedding_reference(op.indices, as_doubles(op.table), as_doubles(op.position_table),
                                            kScale, op.host_dropout, c.D)) < t.forward_tolerance());
        CHECK(max_relative_error(op.dtable, dtable) < t.gradient_tolerance());
      }
    }
  }
}

// EM5
TEST_CASE("Embedding: of a table of eight bits, the plain kernel's", "[unit]") {
  for (const EmbeddingCase& c : embedding_cases()) {
    INFO(c.why);
    const Op op(c.N, c.V, c.D, kF32, 0);
    const auto expected = quantized_embedding_reference(op.indices, as_doubles(op.table),
                                                        as_doubles(op.position_table), kScale, c.D);
    quantized_embedding_forward(op.ids, op.positions, rounded_and_packed(op.table), op.position_table, kScale,
                                op.x);
    CHECK(max_relative_error(op.x, expected) < kF32.forward_tolerance());
  }
}

TEST_CASE("Embedding: of a table of eight bits, an id or a position out of range is named", "[unit]") {
  const Op op(3, 5, 4, kF32, 0);
  const kernels::QuantizedWeights table = rounded_and_packed(op.table);
  const auto forward = [&](const Tensor& ids, const Tensor& positions, const Tensor& x) {
    quantized_embedding_forward(ids, positions, table, op.position_table, kScale, x);
  };
  const Tensor beyond = Tensor::from(std::vector<int32_t>{0, 7, 1});
  CHECK_THROWS_WITH(forward(beyond, op.positions, op.x),
                    "embedding: id 7 of token 1 is outside of the 5 words of the vocabulary");
  CHECK_THROWS_WITH(forward(op.ids, beyond, op.x),
                    "embedding: position 7 of token 1 is outside of the 7 positions of the table");
  CHECK_THROWS_WITH(forward(op.ids, op.positions, Tensor::zeros({3, 5}, DType::f32)),
                    "quantized_embedding: x must be [3, 4], got [3, 5]");
}

TEST_CASE("Embedding: the same bits wherever the tensors begin, and twice", "[unit][device]") {
  for (const Target& t : targets()) {
    const auto run = [&](const auto& place) {
      Op op(300, 3, 136, t, 0.1f);
      op.table = place(op.table), op.position_table = place(op.position_table);
      op.dx = place(op.dx), op.x = place(op.x), op.dtable = place(op.dtable);
      op.run();
      return op;
    };
    const auto as_it_is = [](const Tensor& tensor) { return tensor; };
    const Op aligned = run(as_it_is), again = run(as_it_is), unaligned = run(odd_view);
    CHECK(same_bits(aligned.x, again.x));
    CHECK(same_bits(aligned.dtable, again.dtable));
    CHECK(same_bits(aligned.x, unaligned.x));
    CHECK(same_bits(aligned.dtable, unaligned.dtable));
  }
}

TEST_CASE("Embedding: the table's gradient matches central differences", "[grad]") {
  for (const float p : {0.0f, 0.3f}) {
    for (const EmbeddingCase& c :
         {EmbeddingCase{"", 1, 1, 1}, {"", 31, 5, 7}, {"", 5, 3, 33}, {"", 3, 2, 129}}) {
      Op op(c.N, c.V, c.D, kF64, p);
      op.dtable.fill_zero();
      op.backward();
      const auto loss = [&] {
        op.forward();
        return weighted_sum(op.x, op.dx);
      };
      INFO("N " << c.N << ", V " << c.V << ", D " << c.D << ", p " << p);
      CHECK(gradient_error(loss, op.table, op.dtable) < 1e-6);
    }
  }
}

TEST_CASE("Embedding: the table's gradient is accumulated, and words that do not occur keep theirs",
          "[unit][device]") {
  for (const Target& t : targets()) {
    const Tensor ids = t.ids({2, 5, 5, 2}), order = t.ids({0, 3, 1, 2});
    const Tensor dtable = t.sums(std::vector<double>(27, 0.5), {9, 3});
    embedding_backward(t.tensor(std::vector<double>(12, 1.0), {4, 3}), ids, order, 2, {}, dtable);
    for (int64_t v = 0; v < 9; ++v) {
      CHECK(as_doubles(dtable.slice_rows(v, v + 1)) == std::vector<double>(3, v == 2 || v == 5 ? 4.5 : 0.5));
    }
  }
}

TEST_CASE("Embedding: same bits at any number of threads", "[unit]") {
  CHECK(same_bits_at_any_thread_count([] {
    const Op op(301, 23, 130, kF32, 0.1f);
    op.run();
    return std::vector<Tensor>{op.x, op.dtable};
  }));
}

TEST_CASE("Embedding: an id or a position out of range is named", "[unit]") {
  const Op op(3, 5, 4, kF32, 0);
  const Tensor bad_ids = Tensor::from(std::vector<int32_t>{0, 5, 1}),
               negative = Tensor::from(std::vector<int32_t>{0, 1, -1});
  CHECK_THROWS_WITH(embedding_forward(bad_ids, op.positions, op.table, op.position_table, kScale, {}, op.x),
                    "embedding: id 5 of token 1 is outside of the 5 words of the vocabulary");
  CHECK_THROWS_WITH(embedding_forward(op.ids, negative, op.table, op.position_table, kScale, {}, op.x),
                    "embedding: position -1 of token 2 is outside of the 7 positions of the table");
  CHECK_THROWS_WITH(embedding_backward(op.dx, bad_ids, op.order, kScale, {}, op.dtable),
                    "embedding_backward: id 5 of token 1 is outside of the 5 words of the vocabulary");
}

TEST_CASE("Embedding: an empty place is a row of zeros, and adds nothing wherever it stands",
          "[unit][device]") {
  for (const Target& t : targets()) {
    const Op op(6, 5, 6, t, 0.3f);
    const Tensor ids = t.ids({4, -1, 2, 4, -1, 2}), positions = t.ids({0, 0, 1, 2, 0, 3});
    embedding_forward(ids, positions, op.table, op.position_table, kScale, op.dropout, op.x);
    const std::vector<double> x = as_doubles(op.x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (i / 6 == 1 || i / 6 == 4) CHECK(x[i] == 0);
    }
    const std::vector<double> before = as_doubles(op.dtable);
    std::vector<std::vector<double>> after;
    for (const Tensor& order : {t.ids({1, 4, 2, 5, 0, 3}), t.ids({2, 5, 0, 3, 1, 4})}) {
      op.dtable.copy_from(tensor_of(before, {5, 6}, op.dtable.dtype()));
      embedding_backward(op.dx, ids, order, kScale, {}, op.dtable);
      after.push_back(as_doubles(op.dtable));
      for (size_t i = 0; i < before.size(); ++i)
        CHECK((after.back()[i] == before[i]) == (i / 6 != 2 && i / 6 != 4));
    }
    CHECK(after[0] == after[1]);
  }
}

TEST_CASE(
    "Embedding: a device has no error to throw; "
    "an id or a position out of range is a row of zeros there, and adds nothing",
    "[unit][device]") {
  for (const Target& t : targets()) {
    const Op op(5, 5, 6, t, 0.3f);
    const Tensor ids = t.ids({-2, 7, 2, 2, 3}), positions = t.ids({0, 0, 0, 7, -1}),
                 order = t.ids({0, 2, 3, 4, 1});
    const auto forward = [&] {
      embedding_forward(ids, positions, op.table, op.position_table, kScale, op.dropout, op.x);
    };
    if (t.device == Device::cpu()) {
      CHECK_THROWS_AS(forward(), Error);
      continue;
    }
    const auto before = as_doubles(op.dtable);
    forward();
    for (const int64_t n : {0, 1, 3, 4}) {
      CHECK(as_doubles(op.x.slice_rows(n, n + 1)) == std::vector<double>(6, 0.0));
    }
    embedding_backward(op.dx, ids, order, kScale, {}, op.dtable);
    const auto after = as_doubles(op.dtable);
    for (size_t i = 0; i < after.size(); ++i) CHECK((after[i] == before[i]) == (i / 6 != 2 && i / 6 != 3));
  }
}

// sin and cos of position / 10000^(2i/D), computed in f64 outside of this project to six decimals.
// EM3
TEST_CASE("Positions: interleaved sines and cosines have the paper's values", "[golden]") {
  const auto starts_with = [](const std::vector<double>& row, const std::vector<double>& expected,
                              double limit = 6e-7) {
    bool all = true;
    for (size_t i = 0; i < expected.size(); ++i) all = all && std::abs(row[i] - expected[i]) < limit;
    return all;
  };
  constexpr PositionLayout kPaper = PositionLayout::interleaved;
  CHECK(starts_with(positions_row(kPaper, 512, 0), {0, 1, 0, 1, 0, 1}));
  const auto one = positions_row(kPaper, 512, 1);
  CHECK(starts_with(one, {.841471, .540302, .821856, .569695, .801962, .597375}));
  CHECK(starts_with({one[510], one[511]}, {.000104, 1}));
  CHECK(starts_with(positions_row(kPaper, 512, 2), {.909297, -.416147, .936415, -.350895}));
  CHECK(starts_with(positions_row(kPaper, 512, 10), {-.544021, -.839072}));
  // These were computed with the angles in f32, which costs 255 * 2^-24 = 1.5e-5 of an angle of
  // 255.
  CHECK(starts_with(positions_row(kPaper, 512, 255),
                    {-.506392, -.862304, .810202, .586151, -.994427, .105426}, 1.5e-5));
  CHECK(starts_with(positions_row(kPaper, 4, 1), {.841471, .540302, .010000, .999950}));
  CHECK(starts_with(positions_row(kPaper, 4, 3), {.141120, -.989992, .029996, .999550}));
  CHECK(starts_with(positions_row(kPaper, 6, 1), {.841471, .540302, .046399, .998923, .002154, .999998}));
}

// sin and cos of p / 10000^(i / (D/2 - 1)), as Marian's node_initializers.cpp has them: of 3, at
// rates 1, 1e-2 and 1e-4.
TEST_CASE("Positions: Marian's slowest wave is 10000 times as long as its fastest", "[unit]") {
  const auto row = positions_row(PositionLayout::marian, 6, 3);
  const std::vector<double> expected = {std::sin(3.0), std::sin(0.03), std::sin(0.0003),
                                        std::cos(3.0), std::cos(0.03), std::cos(0.0003)};
  CHECK(max_relative_error(row, expected) <= 1e-12);
  CHECK(positions_row(PositionLayout::marian, 2, 3) == positions_row(PositionLayout::split, 2, 3));
}

TEST_CASE("Positions: the split layout holds the same values, sines first", "[unit]") {
  const auto paper = positions_row(PositionLayout::interleaved, 10, 3),
             split = positions_row(PositionLayout::split, 10, 3);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(split[i] == paper[2 * i]);
    CHECK(split[5 + i] == paper[2 * i + 1]);
  }
  CHECK_THROWS_WITH(positions_row(PositionLayout::split, 5, 0),
                    "sinusoid_positions: table must be [P, D] with an even D, got [1, 5]");
}
