// Tokens and positions of the padded model: numbers calculated by hand.
#include "tools/tutorials/model/embedding.h"

#include <cmath>
#include <map>

#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

using Values = std::vector<double>;

void check_near(const Values& actual, const Values& expected, double margin = 5e-7) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(margin));
}

}  // namespace

TEST_CASE("Quirks: positions with the correct exponent and with the doubled one", "[golden]") {
  // By hand: sin 1, cos 1, then 1 / 10000^(1/3), 1 / 10000^(2/3); doubled: 1 / 10000^(2/3), 1 /
  // 10000^(4/3).
  const auto row1 = [](quirks::PositionExponent exponent, int64_t D) {
    const Values all = as_doubles(quirks::position_table(exponent, {3, D}, DType::f64));
    return Values(all.begin() + D, all.begin() + D + 6);
  };
  check_near(row1(quirks::PositionExponent::correct, 6),
             {.841471, .540302, .046399, .998923, .002154, .999998});
  check_near(row1(quirks::PositionExponent::doubled, 6), {.841471, .540302, .002154, .999998, 4.6416e-6, 1});
  CHECK(row1(quirks::PositionExponent::doubled, 6)[4] == Approx(4.6416e-6).epsilon(1e-4));
  check_near(row1(quirks::PositionExponent::doubled, 512),
             {.841471, .540302, .801962, .597375, .761720, .647906});
}

TEST_CASE("Quirks: positions divided outside overflow f32 from the sixth pair on (Q6)", "[golden]") {
  const auto divisor = [](int64_t i) {
    return quirks::position_divisor(quirks::PositionExponent::divided_outside, i, 512);
  };
  CHECK(divisor(0) == 1.0 / 512);
  CHECK(divisor(1) == 195312.5);
  for (const auto& [i, expected] : {std::pair{2, 1.953125e13}, {3, 1.953125e21}, {4, 1.953125e29}})
    CHECK(divisor(i) == Approx(expected).epsilon(1e-6));
  CHECK(std::isinf(divisor(5)));
  // A position is 512 turns' worth of radians in the first pair, and nearly nothing in the others.
  const Values row =
      as_doubles(quirks::position_table(quirks::PositionExponent::divided_outside, {2, 512}, DType::f64));
  CHECK(row[512] == Approx(std::sin(512.0)));
  for (size_t i = 2; i < 512; i += 2) {
    CHECK(row[512 + i] == Approx(0).margin(6e-6));
    CHECK(row[512 + i + 1] == Approx(1));
  }
}

namespace {

// The sum of tokens and positions of ids [1, S], from a table with these rows.
Values embedded(const quirks::Config& config, const Ids& ids, const Values& table) {
  ParameterStore store(DType::f64);
  const auto V = static_cast<int64_t>(table.size()) / config.dim;
  const quirks::Embedding embedding(store, "e", V, 0, config);
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  store.find("e.weight").value.copy_from(Tensor::from(table, {V, config.dim}));
  Arena arena(Device::cpu());
  Tape tape(arena, Tape::Mode::inference);
  const Tensor one = Tensor::from(ids, {1, static_cast<int64_t>(ids.size())});
  return as_doubles(embedding.forward({.tape = tape}, one, Tensor()).value());
}

quirks::Config of_width(int64_t dim) {
  quirks::Config config;
  config.dim = dim, config.max_length = 8;
  return config;
}

}  // namespace

TEST_CASE("Quirks: an embedding returns the rows of its ids, in their order", "[golden]") {
  // The rows of a tutorial's table, read through positions that are subtracted again.
  const std::map<int32_t, Values> rows{{1, {.5532, -1.0127, 1.3929}},   {2, {.0723, -.3750, -.0773}},
                                       {3, {.2600, -.3750, .8686}},     {4, {-.3842, -1.3079, -.9690}},
                                       {5, {-1.8088, -.3024, -1.9127}}, {9, {.4828, -.8169, .7782}}};
  Values table(10 * 4);  // a fourth column of zeros: widths are even
  for (const auto& [id, row] : rows) std::copy(row.begin(), row.end(), table.begin() + 4 * id);
  quirks::Config config = of_width(4);
  config.quirks.embedding_scale = quirks::EmbeddingScale::none;
  const Values positions =
      as_doubles(quirks::position_table(quirks::PositionExponent::correct, {4, 4}, DType::f64));
  for (const Ids& ids : {Ids{1, 2, 4, 5}, Ids{4, 3, 2, 9}}) {
    const Values sum = embedded(config, ids, table);
    for (size_t n = 0; n < 4; ++n) {
      for (size_t c = 0; c < 3; ++c)
        CHECK(sum[4 * n + c] - positions[4 * n + c] == Approx(rows.at(ids[n])[c]).margin(1e-12));
    }
  }
}

TEST_CASE("Quirks: an embedding is scaled by sqrt(D), by nothing, by 1 / sqrt(D) (Q14)", "[golden]") {
  quirks::Config config = of_width(4);
  const Values table{0, 0, 0, 0, 1, 2, 3, 4};
  for (const auto& [scale, factor] : {std::pair{quirks::EmbeddingScale::sqrt_dim, 2.0},
                                      {quirks::EmbeddingScale::none, 1.0},
                                      {quirks::EmbeddingScale::inverse_sqrt_dim, 0.5}}) {
    config.quirks.embedding_scale = scale;
    // Position 0 is 0 1 0 1.
    check_near(embedded(config, {1}, table), {factor, 2 * factor + 1, 3 * factor, 4 * factor + 1});
  }
}

TEST_CASE("Quirks: an element that is zero gets no position (Q15)", "[golden]") {
  quirks::Config config = of_width(4);
  config.quirks.embedding_scale = quirks::EmbeddingScale::none;
  const Values table{0, 0, 0, 0, 5, 0, 7, 8};
  check_near(embedded(config, {1, 0}, table), {5, 1, 7, 9, .841471, .540302, .010000, .999950});
  config.quirks.positions_of_zeros = false;
  check_near(embedded(config, {1, 0}, table), {5, 0, 7, 9, 0, 0, 0, 0});
}
