// Intervals and tests. The digits are sacreBLEU's, printed by it (golden/make_scores.py); those of
// the generator NumPy's.
#include "data/score/resampling.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "data/score/numpy_generator.h"
#include "tests/data/golden_scores.h"
#include "tests/support/catch.h"

namespace {

using namespace xf::data;
using namespace xf::tests;

Score score_with_interval(const Lines& row) {
  const auto metric = golden_metric(row[1]);
  const auto references = golden_files(row, 4, row.size());
  const auto segments = segment_statistics(*metric, split(row[3], " ||| "), references);
  Score score = corpus_score(*metric, segments, references.size());
  const int resamples = std::stoi(score_options(row[1])["n"]);
  score.confidence = confidence_interval(*metric, segments, resamples, 12345);
  add_trials(score.signature, "bs", resamples, "12345");
  return score;
}

}  // namespace

TEST_CASE("NumpyGenerator: numbers and coins are NumPy's", "[golden]") {
  // numpy.random.default_rng(12345).choice(7, size=14), .integers(2, size=40, dtype=bool)
  NumpyGenerator numbers(12345), coins(12345);
  for (const uint32_t expected : {4, 1, 5, 2, 1, 5, 4, 4, 6, 2, 5, 2, 3, 4})
    CHECK(numbers.below(7) == expected);
  const std::string expected_coins = "1011100110000011111111110100110110110001";
  for (const char expected : expected_coins) CHECK(coins.coin() == (expected == '1'));
}

TEST_CASE("NumpyGenerator: no choice draws nothing, and a seed above 32 bits is another seed", "[unit]") {
  NumpyGenerator a(1), b(1), large(1 + (uint64_t{1} << 32));
  CHECK(a.below(1) == 0);
  CHECK(a.below(1000000) == b.below(1000000));
  bool same = true;
  for (int i = 0; i < 10; ++i) same = same && b.below(1000000) == large.below(1000000);
  CHECK(!same);
}

TEST_CASE("Confidence: score, mean and interval are sacreBLEU's to eight digits", "[golden]") {
  const auto rows = golden_rows("confidence");
  REQUIRE(rows.size() >= 40);
  for (const Lines& row : rows) {
    INFO("options: " << row[1]);
    CHECK(format(score_with_interval(row), 8) == with_our_version(row[2]));
  }
  for (const Lines& row : golden_rows("confidence-json")) {
    CHECK(format_json(score_with_interval(row), 4) == with_our_version(replace_all(row[2], "\\n", "\n")));
  }
}

TEST_CASE("Paired tests: beside itself no trial of a system differs by more than nothing, p is 1 of n + 1",
          "[unit]") {
  const auto metric = make_metric(BleuOptions{});
  const Lines hypotheses = {"the cat sat on the mat", "a dog barks at the other dog", "he reads a book"};
  const std::vector<Lines> references = {
      {"the cat is on the mat", "a dog barks at a dog", "she reads a book"}};
  const auto segments = segment_statistics(*metric, hypotheses, references);
  const auto swapped = paired_test(*metric, {segments, segments}, PairedTest::randomization, 99, 1);
  CHECK(!swapped[0].p_value);
  CHECK(*swapped[1].p_value == Approx(1.0 / 100));
  CHECK_THROWS_AS(paired_test(*metric, {segments}, PairedTest::bootstrap, 0, 1), xf::Error);
  CHECK_THROWS_AS(paired_test(*metric, {segments, {}}, PairedTest::bootstrap, 9, 1), xf::Error);
}
