// Expectation: sorting the whole row in f64 (tests/cases/top_k.h).
#include "kernels/top_k.h"

#include "tests/cases/matmul.h"
#include "tests/cases/quantized_linear.h"
#include "tests/cases/top_k.h"
#include "tests/support/catch.h"
#include "tests/support/targets.h"
#include "tests/support/threads.h"

using namespace xf;
using namespace xf::kernels;
using namespace xf::tests;

namespace {

Tensor no_ids(int64_t N, int64_t K, Device device = Device::cpu()) {
  return Tensor::from(std::vector<int32_t>(static_cast<size_t>(N * K), -1), {N, K}).to(device);
}
// Of each row's ids.
std::vector<double> logits_at(const std::vector<double>& ids, const std::vector<double>& z,
                              const TopKCase& c) {
  std::vector<double> values;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<int64_t>(i) / c.K;
    values.push_back(z[static_cast<size_t>(row * c.V) + static_cast<size_t>(ids[i])]);
  }
  return values;
}
Tensor banned_of(const Target& t, const TopKCase& c) { return c.banned.empty() ? Tensor() : t.ids(c.banned); }

}  // namespace

// TK1, TK2
TEST_CASE("TopK: scores and ids agree with sorting the row, ties go to the smaller id", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const auto& c : top_k_cases()) {
      for (const bool ties : {false, true}) {
        if (ties && c.N > 65535) continue;  // nothing new about the grid
        INFO(c.reason << (ties ? ", with ties, " : ", ") << name_of(t));
        auto values = random_values(c.N * c.V, 1, -3, 3);
        if (ties)
          for (double& value : values) value = std::floor(value);
        const Tensor z = t.tensor(values, {c.N, c.V}), ids = no_ids(c.N, c.K, t.device);
        const Tensor scores = t.poisoned_sums({c.N, c.K});
        const auto expected = top_k_reference(c, as_doubles(z));
        log_softmax_top_k(z, banned_of(t, c), Normalise::yes, scores, ids);
        CHECK(max_relative_error(scores, expected.scores) < tolerance(t.accumulator()));
        CHECK((as_doubles(ids) == expected.ids));  // ((: not to be printed
        log_softmax_top_k(z, banned_of(t, c), Normalise::no, scores, ids);
        CHECK((as_doubles(ids) == expected.ids));
        CHECK((as_doubles(scores) == logits_at(expected.ids, as_doubles(z), c)));
      }
    }
  }
}

TEST_CASE("TopK: rows in falling order, the best case, and rising order, the worst, are found alike",
          "[unit][device]") {
  for (const Target& t : targets()) {
    std::vector<double> z(250);  // whole numbers: exact in bf16
    for (size_t v = 0; v < 250; ++v) z[v] = static_cast<double>(v) - 125;
    const Tensor scores = t.poisoned_sums({1, 3}), ids = no_ids(1, 3, t.device);
    log_softmax_top_k(t.tensor(z, {1, 250}), {}, Normalise::yes, scores, ids);
    CHECK(as_doubles(ids) == std::vector<double>{249, 248, 247});
    std::reverse(z.begin(), z.end());
    log_softmax_top_k(t.tensor(z, {1, 250}), {}, Normalise::yes, scores, ids);
    CHECK(as_doubles(ids) == std::vector<double>{0, 1, 2});
  }
}

TEST_CASE("TopK: rows may be some columns of a wider matrix", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t V : {int64_t{33}, int64_t{1031}}) {
      const Tensor dense = t.random({5, V}, 1), view = t.poisoned({5, V + 4}).slice_columns(3, V + 3);
      view.copy_from(dense);
      const Tensor scores = t.poisoned_sums({5, 4}), ids = no_ids(5, 4, t.device);
      const auto expected = top_k_reference({"", 5, V, 4, {}}, as_doubles(dense));
      log_softmax_top_k(view, {}, Normalise::yes, scores, ids);
      INFO("V " << V << ", " << name_of(t));
      CHECK(max_relative_error(scores, expected.scores) < tolerance(t.accumulator()));
      CHECK(as_doubles(ids) == expected.ids);
    }
  }
}

TEST_CASE("TopK: zeros of both signs are one value, -infinity is the worst, a NaN makes the scores NaN",
          "[unit][device]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Target& t : targets()) {
    const Tensor scores = t.poisoned_sums({1, 4}), ids = no_ids(1, 4, t.device);
    log_softmax_top_k(t.tensor({-infinity, -0.0, 0.0, -1}, {1, 4}), {}, Normalise::yes, scores, ids);
    CHECK(as_doubles(ids) == std::vector<double>{1, 2, 3, 0});
    CHECK(as_doubles(scores)[3] == -infinity);
    log_softmax_top_k(t.tensor({2, 1, std::nan(""), 0}, {1, 4}), {}, Normalise::yes, scores, ids);
    for (const double score : as_doubles(scores)) CHECK(std::isnan(score));
    for (const double id : as_doubles(ids)) CHECK((id >= 0 && id < 4));
  }
}

TEST_CASE("TopK: logits themselves are NaN where one of the row is, wherever it stands", "[unit][device]") {
  for (const Target& t : targets()) {
    for (const int64_t place : {0, 3, 64, 700, 1599}) {
      INFO(name_of(t) << ", " << place);
      std::vector<double> z(1600, -1);
      z[1] = 2, z[800] = 1;
      z[static_cast<size_t>(place)] = std::nan("");
      const Tensor scores = t.poisoned_sums({1, 2}), ids = no_ids(1, 2, t.device);
      log_softmax_top_k(t.tensor(z, {1, 1600}), {}, Normalise::no, scores, ids);
      for (const double score : as_doubles(scores)) CHECK(std::isnan(score));
    }
  }
}

TEST_CASE("TopK: of a projection, it is the choice from the projection's logits", "[unit][device]") {
  // Small whole numbers are exact in every type, and tie often.
  constexpr int64_t D = 16;
  for (const Target& t : targets()) {
    for (const auto& c : top_k_cases()) {
      INFO(c.reason << ", " << name_of(t));
      const auto whole = [&](Shape shape, uint64_t seed) {
        auto values = random_values(shape.numel(), seed, -1.5, 1.5);
        for (double& value : values) value = std::round(value);
        return t.tensor(values, shape);
      };
      const Tensor x = whole({c.N, D}, 1), w = whole({c.V, D}, 2), bias = whole({c.V}, 3);
      std::vector<double> z;
      for (int64_t n = 0; n < c.N; ++n) {
        const auto row = as_doubles(bias);
        z.insert(z.end(), row.begin(), row.end());
      }
      z = matmul_reference({c.reason, c.N, c.V, D}, as_doubles(x), false, as_doubles(w), true, z);
      const Tensor scores = t.poisoned_sums({c.N, c.K}), ids = no_ids(c.N, c.K, t.device);
      const auto expected = top_k_reference(c, z);
      projection_top_k(x, w, bias, banned_of(t, c), Normalise::yes,
                       t.poisoned({std::min(c.N, kTopKChunk), c.V}), scores, ids);
      CHECK(max_relative_error(scores, expected.scores) < tolerance(t.accumulator()));
      CHECK((as_doubles(ids) == expected.ids));  // ((: not to be printed
    }
  }
}

TEST_CASE("TopK: of a projection in eight bits, it is the choice from that projection's logits", "[unit]") {
  constexpr int64_t D = 37;
  for (const auto& c : top_k_cases()) {
    INFO(c.reason);
    const Tensor x = random_tensor({c.N, D}, DType::f32, 1), bias = random_tensor({c.V}, DType::f32, 3);
    const QuantizedWeights w = rounded_and_packed(random_tensor({c.V, D}, DType::f32, 2));
    const Tensor z = poisoned({c.N, c.V}, DType::f32);
    quantized_linear_forward(x, w, bias, Relu::no, z);
    const Tensor banned = c.banned.empty() ? Tensor() : Tensor::from(c.banned);
    const Tensor expected = poisoned({c.N, c.K}, DType::f32), expected_ids = no_ids(c.N, c.K);
    log_softmax_top_k(z, banned, Normalise::yes, expected, expected_ids);
    const Tensor scores = poisoned({c.N, c.K}, DType::f32), ids = no_ids(c.N, c.K);
    projection_top_k(x, w, bias, banned, Normalise::yes,
                     poisoned({std::min(c.N, kTopKChunk), c.V}, DType::f32), scores, ids);
    CHECK(same_bits(ids, expected_ids));
    CHECK(same_bits(scores, expected));
    log_softmax_top_k(z, banned, Normalise::no, expected, expected_ids);
    projection_top_k(x, w, bias, banned, Normalise::no,
                     poisoned({std::min(c.N, kTopKChunk), c.V}, DType::f32), scores, ids);
    CHECK(same_bits(ids, expected_ids));
    CHECK(same_bits(scores, expected));
  }
}

// 513 rows: with few threads each takes some of them, with many they go through chunks.
TEST_CASE("TopK: of a projection, the same bits whether threads share rows or weights", "[unit]") {
  constexpr int64_t N = 513, D = 32, V = 700, K = 4;
  const Tensor x = random_tensor({N, D}, DType::f32, 1), w = random_tensor({V, D}, DType::f32, 2),
               bias = random_tensor({V}, DType::f32, 3);
  const auto chosen = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    const Tensor scores = poisoned({N, K}, DType::f32), ids = no_ids(N, K);
    projection_top_k(x, w, bias, {}, Normalise::yes, poisoned({kTopKChunk, V}, DType::f32), scores, ids);
    set_thread_count(before);
    return std::pair{scores, ids};
  };
  const auto [scores, ids] = chosen(2);
  const auto [again, ids_again] = chosen(30);
  CHECK(same_bits(ids, ids_again));
  CHECK(same_bits(scores, again));
}

TEST_CASE("TopK: columns of nothing but -infinity add nothing", "[unit][device]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Target& t : targets()) {
    std::vector<double> z(1600, -infinity);
    z[1500] = 1;
    const Tensor scores = t.poisoned_sums({1, 1}), ids = no_ids(1, 1, t.device);
    log_softmax_top_k(t.tensor(z, {1, 1600}), {}, Normalise::yes, scores, ids);
    INFO(name_of(t));
    CHECK(as_doubles(ids) == std::vector<double>{1500});
    CHECK(as_doubles(scores)[0] == Approx(0).margin(1e-6));
  }
}

TEST_CASE("TopK: a projection's choice has the same bits at any thread count", "[unit]") {
  const Tensor x = random_tensor({64, 32}, DType::f32, 1), w = random_tensor({4099, 32}, DType::f32, 2),
               bias = random_tensor({4099}, DType::f32, 3);
  CHECK(same_bits_at_any_thread_count([&] {
    const Tensor scores = poisoned({64, 5}, DType::f32), ids = no_ids(64, 5);
    projection_top_k(x, w, bias, {}, Normalise::yes, poisoned({64, 4099}, DType::f32), scores, ids);
    return std::vector<Tensor>{scores, ids};
  }));
}

TEST_CASE("TopK: the same bits at any thread count", "[unit]") {
  const Tensor z = random_tensor({64, 4099}, DType::f32, 1);
  CHECK(same_bits_at_any_thread_count([&] {
    const Tensor scores = poisoned({64, 5}, DType::f32), ids = no_ids(64, 5);
    log_softmax_top_k(z, {}, Normalise::yes, scores, ids);
    return std::vector<Tensor>{scores, ids};
  }));
}

TEST_CASE("TopK: refuses more than there is to choose from, and outputs of another shape", "[unit]") {
  const Tensor z = random_tensor({2, 5}, DType::f32, 1), banned = Tensor::from(std::vector<int32_t>{0});
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, Normalise::yes, poisoned({2, 6}, DType::f32), no_ids(2, 6)),
                  Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, banned, Normalise::yes, poisoned({2, 5}, DType::f32), no_ids(2, 5)),
                  Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, Normalise::yes, poisoned({2, 3}, DType::f32), no_ids(2, 4)),
                  Error);
  CHECK_THROWS_AS(log_softmax_top_k(z, {}, Normalise::yes, poisoned({2, 3}, DType::f64), no_ids(2, 3)),
                  Error);

  const Tensor x = random_tensor({2, 4}, DType::f32, 1), w = random_tensor({5, 4}, DType::f32, 1);
  const Tensor bias = random_tensor({5}, DType::f32, 1), best = poisoned({2, 3}, DType::f32);
  CHECK_NOTHROW(projection_top_k(x, w, bias, {}, Normalise::yes, z, best, no_ids(2, 3)));
  CHECK_THROWS_AS(projection_top_k(x, w, x, {}, Normalise::yes, z, best, no_ids(2, 3)), Error);
  CHECK_THROWS_AS(projection_top_k(x, x, bias, {}, Normalise::yes, z, best, no_ids(2, 3)), Error);
  CHECK_THROWS_AS(projection_top_k(x, w, bias, {}, Normalise::yes, x, best, no_ids(2, 3)), Error);
  CHECK_THROWS_AS(
      projection_top_k(x, w, bias, {}, Normalise::yes, z, poisoned({2, 6}, DType::f32), no_ids(2, 6)), Error);
}
