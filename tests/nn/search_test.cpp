// That the search finds what it should: against greedy, plain and exhaustive search without a
// cache.
#include "nn/decode/search.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/nn/search_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::nn::search_tests;

namespace {

double words_of(const Ids& ids) {
  return static_cast<double>(std::count_if(ids.begin(), ids.end(), [](int32_t id) { return id != kEos; }));
}

// Whether the last n tokens are somewhere before, too.
bool repeats_ngram(const Ids& ids, int64_t n) {
  if (n == 0 || static_cast<int64_t>(ids.size()) <= n) return false;
  const auto last = ids.end() - n;
  return std::search(ids.begin(), ids.end() - 1, last, ids.end()) != ids.end() - 1;
}

// The rules of nn/decode/search.h once more, for one sentence, in the plainest way: strings of ids,
// every prefix decoded anew. `given`: what each hypothesis begins with.
std::vector<Hypothesis> plain_beam_search(SearchModel& model, const Ids& source, const SearchOptions& options,
                                          size_t limit, const Ids& given = {}) {
  struct Prefix {
    Ids ids;
    double log_probability;
  };
  std::vector<Prefix> live{{{}, 0}};
  std::vector<Hypothesis> ended;
  const auto beam = static_cast<size_t>(options.beam_size);
  const auto penalty = static_cast<double>(options.word_penalty);
  for (size_t n = 1; n <= limit && ended.size() < beam; ++n) {
    std::vector<Prefix> all;
    for (const Prefix& prefix : live) {
      Ids input{kBos};
      input.insert(input.end(), prefix.ids.begin(), prefix.ids.end());
      const std::vector<double> row = uncached_log_probabilities(model, source, input).back();
      for (int32_t id = 0; id < static_cast<int32_t>(row.size()); ++id) {
        const bool is_given = n <= given.size();
        if (is_given ? id != given[n - 1] : !allowed(id)) continue;
        all.push_back({prefix.ids, prefix.log_probability + row[static_cast<size_t>(id)]});
        all.back().ids.push_back(id);
        if (!is_given && id != kEos && repeats_ngram(all.back().ids, options.no_repeat_ngram)) all.pop_back();
      }
    }
    const auto ranked_by = [&](const Prefix& prefix) {
      return prefix.log_probability + penalty * words_of(prefix.ids);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Prefix& a, const Prefix& b) { return ranked_by(a) > ranked_by(b); });
    live.clear();
    for (size_t rank = 0; rank < all.size(); ++rank) {
      Prefix& candidate = all[rank];
      const double score =
          ranked_by(candidate) / std::pow(static_cast<double>(n), static_cast<double>(options.normalize));
      if (candidate.ids.back() != kEos) {
        if (live.size() < beam) live.push_back(candidate);
      } else if (rank < beam) {
        candidate.ids.pop_back();
        ended.push_back({candidate.ids, candidate.log_probability, score, false});
      }
    }
  }
  if (ended.size() < beam) {
    for (const Prefix& prefix : live) {
      const double score = (prefix.log_probability + penalty * words_of(prefix.ids)) /
                           std::pow(static_cast<double>(limit), static_cast<double>(options.normalize));
      ended.push_back({prefix.ids, prefix.log_probability, score, true});
    }
  }
  std::stable_sort(ended.begin(), ended.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.cut != b.cut ? b.cut : a.score > b.score;
  });
  ended.resize(std::min(ended.size(), static_cast<size_t>(options.n_best)));
  return ended;
}

size_t limit_of(const SearchOptions& options, const Ids& source, const Ids& given = {}) {
  const size_t limit =
      std::min(static_cast<size_t>(options.max_length),
               static_cast<size_t>(options.max_length_factor * static_cast<double>(source.size())) + 10);
  return std::max(limit, given.size());
}

}  // namespace

TEST_CASE("Search: a beam of 1 is greedy search", "[unit]") {
  // Expected: the definition, argmax of an uncached decoder until </s>.
  SearchModel model(DType::f64, small_config(20), 1);
  const std::vector<Ids> sources = random_sources(12, 2);
  const auto results = Search(model.transformer, model.arena, options_for(1)).translate(make_batch(sources));
  size_t ended = 0;
  for (size_t b = 0; b < sources.size(); ++b) {
    const size_t limit = limit_of(options_for(1), sources[b]);
    Ids prefix{kBos};
    bool end = false;
    while (!end && prefix.size() <= limit) {
      const std::vector<double> row = uncached_log_probabilities(model, sources[b], prefix).back();
      int32_t best = kEos;
      for (int32_t id = 0; id < 20; ++id) {
        if (allowed(id) && row[static_cast<size_t>(id)] > row[static_cast<size_t>(best)]) best = id;
      }
      end = best == kEos;
      if (!end) prefix.push_back(best);
    }
    REQUIRE(results[b].size() == 1);
    CHECK(results[b][0].ids == Ids(prefix.begin() + 1, prefix.end()));
    CHECK(results[b][0].cut == !end);
    ended += end;
  }
  CHECK(ended > 0);
}

TEST_CASE("Search: that nobody wants to know the scores changes no translation, and a beam's scores least",
          "[unit]") {
  SearchModel model(DType::f32, small_config(20), 1);
  const std::vector<Ids> sources = random_sources(12, 2);
  for (const int64_t beam : {1, 3}) {
    SearchOptions options = options_for(beam);
    const auto scored = Search(model.transformer, model.arena, options).translate(make_batch(sources));
    options.scored = false;
    const auto found = Search(model.transformer, model.arena, options).translate(make_batch(sources));
    for (size_t b = 0; b < sources.size(); ++b) {
      const Hypothesis &expected = scored[b][0], &hypothesis = found[b][0];
      CHECK(hypothesis.ids == expected.ids);
      CHECK(hypothesis.cut == expected.cut);
      if (beam == 1) {
        CHECK(std::isnan(hypothesis.log_probability));
        CHECK(std::isnan(hypothesis.score));
        CHECK(hypothesis.token_log_probabilities.empty());
      } else {
        CHECK(hypothesis.score == expected.score);
        CHECK(hypothesis.token_log_probabilities == expected.token_log_probabilities);
      }
    }
  }
}

namespace {

void check_against_plain_search(SearchModel& model, const SearchOptions& options,
                                const std::vector<Ids>& sources, const std::vector<Ids>& prefixes = {}) {
  const auto results =
      Search(model.transformer, model.arena, options).translate(make_batch(sources), {.prefixes = prefixes});
  for (size_t b = 0; b < sources.size(); ++b) {
    const Ids given = prefixes.empty() ? Ids{} : prefixes[b];
    const auto expected =
        plain_beam_search(model, sources[b], options, limit_of(options, sources[b], given), given);
    REQUIRE(results[b].size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(results[b][i].ids == expected[i].ids);
      CHECK(results[b][i].cut == expected[i].cut);
      CHECK(results[b][i].score == Approx(expected[i].score).epsilon(1e-10));
    }
  }
}

}  // namespace

TEST_CASE("Search: a beam agrees with a plain search that decodes every prefix anew", "[unit]") {
  const int64_t beam = GENERATE(2, 3, 5);
  const NormPlacement norm = GENERATE(NormPlacement::post, NormPlacement::pre);
  TransformerConfig config = small_config(14);
  config.norm = norm;
  SearchModel model(DType::f64, config, 3);
  SearchOptions options = options_for(beam);
  options.max_length = 12;
  options.normalize = 0.6f;
  check_against_plain_search(model, options, random_sources(6, 4));
}

TEST_CASE("Search: so it does with a word penalty and with n-grams that may not repeat", "[unit]") {
  const int64_t ngram = GENERATE(0, 1, 2, 3);
  const float penalty = GENERATE(-0.4f, 0.0f, 0.7f);
  SearchModel model(DType::f64, small_config(9), 3, 0.2);  // few words and late ends: much would
                                                           // repeat
  SearchOptions options = options_for(4);
  options.max_length = 12;
  options.no_repeat_ngram = ngram;
  options.word_penalty = penalty;
  check_against_plain_search(model, options, random_sources(4, 4));
}

TEST_CASE("Search: from a given prefix it goes on as a plain search does", "[unit]") {
  const int64_t beam = GENERATE(1, 4), ngram = GENERATE(0, 2);
  SearchModel model(DType::f64, small_config(9), 3, 0.2);
  SearchOptions options = options_for(beam);
  options.max_length = 12;
  options.no_repeat_ngram = ngram;
  options.normalize = 0.6f;
  // None, one word, <unk>, an n-gram that repeats already, as long as a translation may be, and
  // longer.
  const std::vector<Ids> prefixes{{}, {5}, {kUnk, 6}, {7, 8, 7, 8}, Ids(12, 4), Ids(14, 6)};
  check_against_plain_search(model, options, random_sources(6, 4), prefixes);
}

TEST_CASE("Search: an empty prefix changes no bit", "[unit]") {
  SearchModel model(DType::f32, small_config(20), 3);
  const PackedBatch batch = make_batch(random_sources(6, 4));
  const Search search(model.transformer, model.arena, options_for(3));
  const auto given = search.translate(batch, {.prefixes = std::vector<Ids>(6)}),
             none = search.translate(batch);
  REQUIRE(given.size() == none.size());
  for (size_t b = 0; b < none.size(); ++b) {
    REQUIRE(given[b].size() == none[b].size());
    for (size_t i = 0; i < none[b].size(); ++i) {
      CHECK(given[b][i].ids == none[b][i].ids);
      CHECK(given[b][i].score == none[b][i].score);
    }
  }
}

TEST_CASE("Search: a hypothesis has the log-probability of each of its tokens", "[unit]") {
  SearchModel model(DType::f64, small_config(14), 3);
  SearchOptions options = options_for(3);
  options.max_length = 6;
  const Ids prefix = GENERATE(Ids{}, Ids{9, kUnk});
  for (const Ids& source : random_sources(5, 4)) {
    const auto found = Search(model.transformer, model.arena, options)
                           .translate(make_batch({source}), {.prefixes = {prefix}})
                           .front();
    for (const Hypothesis& hypothesis : found) {
      Ids input{kBos}, next = hypothesis.ids;
      input.insert(input.end(), next.begin(), next.end());
      if (!hypothesis.cut) next.push_back(kEos);
      const auto rows = uncached_log_probabilities(model, source, input);
      REQUIRE(hypothesis.token_log_probabilities.size() == next.size());
      for (size_t i = 0; i < next.size(); ++i) {
        CHECK(hypothesis.token_log_probabilities[i] ==
              Approx(rows[i][static_cast<size_t>(next[i])]).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("Search: a beam wider than the space finds the best of all translations", "[unit]") {
  // Expected: every sequence of up to 4 tokens over </s> and 3 words, enumerated: 1 + 3 + 9 + 27
  // end, 81 are cut.
  SearchModel model(DType::f64, small_config(7), 5, 0.0);
  SearchOptions options = options_for(200);
  options.max_length = 4;
  options.normalize = GENERATE(0.0f, 1.0f);
  const Ids source{5, 9, 4};
  const auto results = Search(model.transformer, model.arena, options).translate(make_batch({source}));

  std::vector<Hypothesis> all;
  const std::function<void(const Ids&, double)> extend = [&](const Ids& prefix, double so_far) {
    const std::vector<double> row = uncached_log_probabilities(model, source, prefix).back();
    const Ids ids(prefix.begin() + 1, prefix.end());
    const double length =
        std::pow(static_cast<double>(prefix.size()), static_cast<double>(options.normalize));
    const double end = so_far + row[kEos];
    all.push_back({ids, end, end / length, false});
    for (int32_t id = kFirstWord; id < 7; ++id) {
      Ids longer = prefix;
      longer.push_back(id);
      const double log_probability = so_far + row[static_cast<size_t>(id)];
      if (longer.size() <= 4) {
        extend(longer, log_probability);
      } else {
        all.push_back(
            {Ids(longer.begin() + 1, longer.end()), log_probability, log_probability / length, true});
      }
    }
  };
  extend({kBos}, 0);
  REQUIRE(all.size() == 40 + 81);
  std::sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.cut != b.cut ? b.cut : a.score > b.score;
  });
  REQUIRE(results[0].size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(results[0][i].ids == all[i].ids);
    CHECK(results[0][i].cut == all[i].cut);
    CHECK(results[0][i].score == Approx(all[i].score).epsilon(1e-10));
  }
}

TEST_CASE("Search: cached scores are the uncached decoder's within 1e-5", "[unit]") {
  const DType dtype = GENERATE(DType::f32, DType::f64);
  TransformerConfig config = small_config(20);
  config.rotary_positions = GENERATE(false, true);
  SearchModel model(dtype, config, 6);
  const SearchOptions options = options_for(5);
  const std::vector<Ids> sources = random_sources(16, 7);
  const auto results = Search(model.transformer, model.arena, options).translate(make_batch(sources));
  for (size_t b = 0; b < sources.size(); ++b) {
    for (const Hypothesis& hypothesis : results[b]) {
      const double expected = uncached_log_probability(model, sources[b], hypothesis);
      const auto n = static_cast<double>(hypothesis.ids.size() + (hypothesis.cut ? 0 : 1));
      CHECK(std::abs(hypothesis.log_probability - expected) <= 1e-5 * std::max(1.0, std::abs(expected)));
      CHECK(std::abs(hypothesis.score - expected / n) <= 1e-5);
    }
  }
}

TEST_CASE("Search: a translation does not depend on its batch", "[unit]") {
  SearchModel model(DType::f32, small_config(20), 8);
  const Search search(model.transformer, model.arena, options_for(4));
  std::vector<Ids> sources = random_sources(64, 9);
  sources[10] = {};  // </s> alone
  const auto together = search.translate(make_batch(sources));
  std::vector<Ids> reversed(sources.rbegin(), sources.rend());
  const auto backwards = search.translate(make_batch(reversed));
  REQUIRE(together.size() == 64);
  CHECK(search.translate(make_batch({})).empty());
  for (size_t b = 0; b < sources.size(); ++b) {
    const auto alone = search.translate(make_batch({sources[b]}))[0];
    for (const auto* other : {&alone, &backwards[63 - b]}) {
      REQUIRE(other->size() == together[b].size());
      for (size_t i = 0; i < other->size(); ++i) {
        CHECK(std::abs((*other)[i].score - together[b][i].score) <= 1e-5);
      }
      const bool tie = together[b].size() > 1 && together[b][0].score - together[b][1].score <= 1e-5;
      if (!tie) CHECK((*other)[0].ids == together[b][0].ids);
    }
  }
}

TEST_CASE("Search: an observer changes nothing and sees the beam", "[unit]") {
  class Ledger : public SearchObserver {
   public:
    void continued(const Continuation& continuation) override { all.push_back(continuation); }
    std::vector<Continuation> all;
  };
  SearchModel model(DType::f64, small_config(20), 11);
  SearchOptions options = options_for(3);
  options.max_length = 9;
  const PackedBatch batch = make_batch(random_sources(6, 12));
  const Search search(model.transformer, model.arena, options);
  Ledger ledger;
  const auto seen = search.translate(batch, {}, &ledger), unseen = search.translate(batch);
  REQUIRE(seen.size() == 6);
  for (size_t b = 0; b < seen.size(); ++b) {
    REQUIRE(seen[b].size() == unseen[b].size());
    for (size_t i = 0; i < seen[b].size(); ++i) {
      CHECK(seen[b][i].ids == unseen[b][i].ids);
      CHECK(seen[b][i].score == unseen[b][i].score);
    }
    // Every result is a continuation that ended or was cut, with its log-probability.
    std::vector<double> told, found;
    for (const Continuation& c : ledger.all) {
      if (c.sentence == static_cast<int64_t>(b) && (c.fate == Fate::ends || c.fate == Fate::cut))
        told.push_back(c.log_probability);
    }
    for (const Hypothesis& hypothesis : seen[b]) found.push_back(hypothesis.log_probability);
    std::sort(told.begin(), told.end());
    std::sort(found.begin(), found.end());
    CHECK(told == found);
  }
  for (const Continuation& c : ledger.all) {
    CHECK((c.fate == Fate::lives) == (c.node >= 0));
    CHECK(((c.id == kEos) == (c.fate == Fate::ends || c.fate == Fate::late_end)));
    if (c.fate == Fate::ends) CHECK(c.rank < 3);
    if (c.fate == Fate::late_end) CHECK(c.rank >= 3);
  }
}
