// Sampling a token, by itself and in place of a search.
#include "nn/sampling_filter.h"

#include <cmath>
#include <map>
#include <set>

#include "core/philox.h"
#include "tests/data/errors.h"
#include "tests/nn/search_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::nn::search_tests;

namespace {

// Of tokens 0 .. 4, by hand: 0.1, 0.4, 0.05, 0.25, 0.2; a constant is added, as a model may.
const std::vector<double> kProbabilities{0.1, 0.4, 0.05, 0.25, 0.2};

std::vector<double> logits_of(const std::vector<double>& probabilities) {
  std::vector<double> z;
  for (const double p : probabilities) z.push_back(std::log(p) + 3);
  return z;
}

constexpr int kDraws = 20000;

std::map<int32_t, int> counts_of(const SamplingFilter& filter, const std::vector<int32_t>& banned = {}) {
  const std::vector<double> z = logits_of(kProbabilities);
  PhiloxSequence random(5, 0);
  std::map<int32_t, int> counts;
  for (int i = 0; i < kDraws; ++i) ++counts[sample_token(filter, z, banned, random.uniform())];
  return counts;
}

// Each token as often as expected, within five standard deviations; a token that may not come,
// never.
void check_counts(std::map<int32_t, int> counts, const std::vector<double>& expected, int draws = kDraws) {
  double sum = 0;
  for (const double p : expected) sum += p;
  for (size_t id = 0; id < expected.size(); ++id) {
    const double p = expected[id] / sum;
    INFO("token " << id);
    CHECK(std::abs(counts[static_cast<int32_t>(id)] - draws * p) <=
          5 * std::sqrt(draws * p * (1 - p)) + 1e-9);
  }
}

SearchOptions drawing_options(const SamplingFilter& filter, uint64_t seed = 1) {
  SearchOptions options = options_for(1);
  options.sampling = filter;
  options.seed = seed;
  return options;
}

}  // namespace

TEST_CASE("Sampling filter: tokens come as often as their probabilities say", "[unit]") {
  check_counts(counts_of({}), kProbabilities);
  check_counts(counts_of({.temperature = 0.5}), {0.01, 0.16, 0.0025, 0.0625, 0.04});  // squares
}

TEST_CASE("Sampling filter: the k best alone, and the fewest that have the nucleus's mass", "[unit]") {
  check_counts(counts_of({.top_k = 2}), {0, 0.4, 0, 0.25, 0});
  check_counts(counts_of({.top_k = 9}), kProbabilities);
  // one of 0.4 is enough
  check_counts(counts_of({.top_p = 0.3}), {0, 1, 0, 0, 0});
  check_counts(counts_of({.top_p = 0.7}), {0, 0.4, 0, 0.25, 0.2});            // 0.65 is not
  check_counts(counts_of({.top_p = 0.97}), kProbabilities);                   // 0.95 is not
  check_counts(counts_of({.top_k = 3, .top_p = 0.7}), {0, 0.4, 0, 0.25, 0});  // 0.65 of 0.85 is
  // Temperature comes first: squares of mass 0.275, of which 0.16 is more than half.
  check_counts(counts_of({.temperature = 0.5, .top_p = 0.5}), {0, 1, 0, 0, 0});
}

TEST_CASE("Sampling filter: what is banned never comes, and does not count for the nucleus", "[unit]") {
  check_counts(counts_of({}, {1, 4}), {0.1, 0, 0.05, 0.25, 0});
  check_counts(counts_of({.top_p = 0.6}, {1, 4}), {0, 0, 0, 1, 0});  // 0.25 of 0.4
}

TEST_CASE("Sampling filter: the most probable token lies first, and of equal ones the smaller id", "[unit]") {
  const std::vector<double> equal(4, 0.5);
  CHECK(sample_token({.temperature = 0}, equal, {}, 0.99) == 0);
  CHECK(sample_token({.temperature = 0}, equal, std::vector<int32_t>{0}, 0.99) == 1);
  for (int32_t id = 0; id < 4; ++id) CHECK(sample_token({}, equal, {}, 0.25 * id + 0.1) == id);
  CHECK(sample_token({.top_k = 1}, equal, {}, 0.99) == 0);
  CHECK(sample_token({}, logits_of(kProbabilities), {}, 0) == 1);
}

TEST_CASE("Sampling filter: what cannot be is refused", "[unit]") {
  const auto refused = [](const SamplingFilter& filter) { return tests::error_of([&] { check(filter); }); };
  CHECK(refused({.temperature = -1}) == "2: temperature must be at least 0");
  CHECK(refused({.top_k = -1}) == "2: top-k must be at least 0");
  CHECK(refused({.top_p = 0}) == "2: top-p must be above 0 and at most 1");
  CHECK(refused({.top_p = 1.1}) == "2: top-p must be above 0 and at most 1");
  const std::vector<double> damaged{0, std::nan("")};
  CHECK(tests::error_of([&] { sample_token({}, damaged, {}, 0); }) == "4: the model's logits are not finite");
}

TEST_CASE("Search: drawn translations come as often as the model says, behind a prefix too", "[unit]") {
  // The first two tokens of 3,000 translations, of which one is given, against the uncached
  // decoder.
  constexpr int kLines = 3000;
  SearchModel model(DType::f64, small_config(9), 3, 0.2);
  const Ids source{5, 9, 4}, prefix{6};
  SearchOptions options = drawing_options({});
  options.max_length = 2;
  const auto results = Search(model.transformer, model.arena, options)
                           .translate(make_batch(std::vector<Ids>(kLines, source)),
                                      {.prefixes = std::vector<Ids>(kLines, prefix)});
  const std::vector<double> row = uncached_log_probabilities(model, source, {kBos, 6}).back();
  std::vector<double> expected;
  for (size_t id = 0; id < row.size(); ++id)
    expected.push_back(allowed(static_cast<int32_t>(id)) ? std::exp(row[id]) : 0);
  std::map<int32_t, int> counts;
  for (const auto& hypotheses : results) {
    REQUIRE(hypotheses.size() == 1);
    REQUIRE(hypotheses[0].ids.front() == 6);
    ++counts[hypotheses[0].cut ? hypotheses[0].ids.back() : kEos];
  }
  check_counts(counts, expected, kLines);
}

TEST_CASE("Search: a drawn translation has the model's own log-probability", "[unit]") {
  SearchModel model(DType::f64, small_config(20), 6);
  const std::vector<Ids> sources = random_sources(16, 7);
  const auto results = Search(model.transformer, model.arena, drawing_options({.temperature = 2, .top_k = 8}))
                           .translate(make_batch(sources));
  for (size_t b = 0; b < sources.size(); ++b) {
    const Hypothesis& drawn = results[b][0];
    CHECK(drawn.log_probability == Approx(uncached_log_probability(model, sources[b], drawn)).epsilon(1e-9));
    CHECK(std::ranges::all_of(drawn.ids, allowed));
  }
}

TEST_CASE("Search: a draw is a function of seed and number, whatever is translated beside it", "[unit]") {
  SearchModel model(DType::f64, small_config(20), 8);
  const Search search(model.transformer, model.arena, drawing_options({}, 7));
  const std::vector<Ids> sources = random_sources(64, 9);
  const auto together = search.translate(make_batch(sources));
  std::set<Ids> different;
  for (size_t b = 0; b < sources.size(); ++b) {
    CHECK(search.translate(make_batch({sources[b]}), {.numbers = {b}})[0][0].ids == together[b][0].ids);
    different.insert(search.translate(make_batch({sources[0]}), {.numbers = {b}})[0][0].ids);
  }
  CHECK(different.size() > 10);
  const Search other(model.transformer, model.arena, drawing_options({}, 8));
  CHECK(other.translate(make_batch(sources))[3][0].ids != together[3][0].ids);
}

TEST_CASE("Search: draws at temperature 0 are greedy, and n-grams that may not repeat do not", "[unit]") {
  SearchModel model(DType::f64, small_config(9), 3, 0.2);
  const std::vector<Ids> sources = random_sources(12, 2);
  SearchOptions greedy = options_for(1), drawn = drawing_options({.temperature = 0});
  greedy.no_repeat_ngram = drawn.no_repeat_ngram = GENERATE(0, 1, 2);
  const auto a = Search(model.transformer, model.arena, greedy).translate(make_batch(sources)),
             b = Search(model.transformer, model.arena, drawn).translate(make_batch(sources));
  for (size_t i = 0; i < sources.size(); ++i) CHECK(a[i][0].ids == b[i][0].ids);
}

TEST_CASE("Search: sampling has one hypothesis", "[unit]") {
  SearchModel model(DType::f32, small_config(9), 3);
  SearchOptions options = options_for(2);
  options.sampling = SamplingFilter{};
  CHECK(tests::error_of([&] { Search(model.transformer, model.arena, options); }) ==
        "2: beam-size must be 1 when tokens are sampled");
}
