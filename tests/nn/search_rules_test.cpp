// The rules of nn/decode/search.h one by one: limits, banned ids, ties, order, memory, errors.
#include "nn/decode/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/data/errors.h"
#include "tests/nn/search_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::nn::search_tests;

TEST_CASE("Search: a hypothesis at the length limit is cut and says so", "[unit]") {
  // </s> never comes: its bias is far below all others.
  SearchModel never(DType::f32, small_config(20), 10, -1e4);
  SearchOptions options = options_for(3);
  options.max_length_factor = 1.5;
  options.max_length = 15;
  const std::vector<Ids> sources{{}, {4}, {4, 5, 6}, {4, 5, 6, 7, 8}};
  const auto cut = Search(never.transformer, never.arena, options).translate(make_batch(sources));
  const std::vector<size_t> limits{10, 11, 14, 15};  // min(15, floor(1.5 n) + 10)
  for (size_t b = 0; b < sources.size(); ++b) {
    REQUIRE(cut[b].size() == 3);
    for (const Hypothesis& hypothesis : cut[b]) {
      CHECK(hypothesis.cut);
      CHECK(hypothesis.ids.size() == limits[b]);
      CHECK(hypothesis.score == Approx(hypothesis.log_probability / static_cast<double>(limits[b])));
    }
  }
  // 0.7 times 10 is 7, which the float next to 0.7 would miss.
  options.max_length_factor = 0.7;
  options.max_length = 30;
  const auto tenth = Search(never.transformer, never.arena, options).translate(make_batch({Ids(10, 4)}));
  CHECK(tenth[0][0].ids.size() == 17);
  // </s> at once: the empty translation, not cut.
  SearchModel at_once(DType::f32, small_config(20), 10, 1e4);
  for (const auto& hypotheses :
       Search(at_once.transformer, at_once.arena, options_for(1)).translate(make_batch(sources))) {
    CHECK(hypotheses[0].ids.empty());
    CHECK_FALSE(hypotheses[0].cut);
    CHECK(hypotheses[0].log_probability == Approx(0).margin(1e-6));
  }
}

TEST_CASE("Search: a prefix of the length limit or more is the whole translation, and cut", "[unit]") {
  SearchModel model(DType::f32, small_config(20), 10);
  SearchOptions options = options_for(3);
  options.max_length = 4;
  const Search search(model.transformer, model.arena, options);
  for (const Ids& prefix : {Ids{4, 5, 6, 7}, Ids{4, 5, 6, 7, 8, 9}}) {
    const auto found = search.translate(make_batch({{4, 5}}), {.prefixes = {prefix}})[0];
    REQUIRE(found.size() == 1);
    CHECK(found[0].ids == prefix);
    CHECK(found[0].cut);
    CHECK(found[0].token_log_probabilities.size() == prefix.size());
  }
  const auto given = [&](const Ids& prefix) {
    return tests::error_of([&] { search.translate(make_batch({{4, 5}}), {.prefixes = {prefix}}); });
  };
  CHECK(given(Ids(2049, 4)) == "2: a prefix has 2049 tokens; a translation has at most 2048");
  CHECK(given({4, kEos}) == "2: a prefix has </s> in it, which ends a translation");
  CHECK_THAT(given({4, 20}), Catch::Contains("a prefix must hold ids from 0 to 19, got 20"));
  CHECK_THAT(tests::error_of([&] {
               search.translate(make_batch({{4}}), {.prefixes = {{4}, {5}}});
             }),
             Catch::Contains("none or 1 prefixes"));
}

TEST_CASE("Search: <pad> and <s> never come out, <unk> only on request", "[unit]") {
  SearchModel model(DType::f32, small_config(9), 11);
  for (const int32_t id : {kPad, kUnk, kBos}) SearchModel::set(model.store.find("output.bias").value, id, 8);
  const std::vector<Ids> sources = random_sources(20, 12);
  SearchOptions options = options_for(3);
  for (const bool allow_unk : {false, true}) {
    options.allow_unk = allow_unk;
    int64_t unknown = 0;
    for (const auto& hypotheses :
         Search(model.transformer, model.arena, options).translate(make_batch(sources))) {
      for (const Hypothesis& hypothesis : hypotheses) {
        CHECK(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), kPad) == 0);
        CHECK(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), kBos) == 0);
        CHECK(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), kEos) == 0);
        unknown += std::count(hypothesis.ids.begin(), hypothesis.ids.end(), kUnk);
      }
    }
    CHECK((unknown > 0) == allow_unk);
  }
}

TEST_CASE("Search: equal scores come out by the smaller id", "[unit]") {
  // All logits are 0 but those of </s>: every word is as likely as any other.
  SearchModel model(DType::f32, small_config(12), 13, -1e4);
  model.store.find("output.weight").value.fill_zero();
  SearchOptions options = options_for(3);
  options.max_length = 2;
  const auto hypotheses = Search(model.transformer, model.arena, options).translate(make_batch({{4, 5}}))[0];
  REQUIRE(hypotheses.size() == 3);
  // Step 1 keeps words 4, 5, 6. In step 2 all nine best tie: word 4 first, after each of the three.
  CHECK(hypotheses[0].ids == Ids{4, 4});
  CHECK(hypotheses[1].ids == Ids{5, 4});
  CHECK(hypotheses[2].ids == Ids{6, 4});
}

TEST_CASE("Search: the n best are sorted, distinct, and the best does not depend on n", "[unit]") {
  SearchModel model(DType::f32, small_config(20), 14);
  const std::vector<Ids> sources = random_sources(20, 15);
  SearchOptions options = options_for(5);
  const auto all = Search(model.transformer, model.arena, options).translate(make_batch(sources));
  options.n_best = 1;
  const auto best = Search(model.transformer, model.arena, options).translate(make_batch(sources));
  for (size_t b = 0; b < sources.size(); ++b) {
    REQUIRE(best[b].size() == 1);
    CHECK(best[b][0].ids == all[b][0].ids);
    CHECK(all[b].size() == 5);
    for (size_t i = 1; i < all[b].size(); ++i) {
      if (all[b][i - 1].cut == all[b][i].cut) CHECK(all[b][i - 1].score >= all[b][i].score);
      CHECK_FALSE((all[b][i - 1].cut && !all[b][i].cut));
      for (size_t j = 0; j < i; ++j)
        CHECK_FALSE((all[b][i].ids == all[b][j].ids && all[b][i].cut == all[b][j].cut));
    }
  }
}

TEST_CASE("Search: a vocabulary without a word gives empty translations", "[unit]") {
  // Only </s> is allowed, fewer candidates than the beam.
  SearchModel model(DType::f32, small_config(4), 16);
  const auto results =
      Search(model.transformer, model.arena, options_for(5)).translate(make_batch({{4, 5}, {6}}));
  for (const auto& hypotheses : results) {
    REQUIRE(hypotheses.size() == 1);
    CHECK(hypotheses[0].ids.empty());
    CHECK_FALSE(hypotheses[0].cut);
  }
}

TEST_CASE("Search: long translations grow the cache, and all memory goes back to the arena", "[unit]") {
  SearchModel model(DType::f64, small_config(20), 17, -1e4);
  SearchOptions options = options_for(2);
  options.max_length = 70;
  options.max_length_factor = 30;
  const Ids source{4, 5, 6};
  const int64_t before = model.arena.used_bytes();
  const auto result = Search(model.transformer, model.arena, options).translate(make_batch({source}))[0][0];
  CHECK(model.arena.used_bytes() == before);
  CHECK(result.ids.size() == 70);
  CHECK(result.log_probability == Approx(uncached_log_probability(model, source, result)).epsilon(1e-9));
}

TEST_CASE("Search: a translation ends where the learnt positions end", "[unit]") {
  TransformerConfig config = small_config(20);
  config.learned_positions = true;
  config.max_length = 7;
  SearchModel model(DType::f64, config, 18, -30.0);  // </s> is never likely
  for (const int64_t beam : {1, 4}) {
    const Hypothesis best = Search(model.transformer, model.arena, options_for(beam))
                                .translate(make_batch({{5, 6, kEos}}))
                                .front()
                                .front();
    CHECK(best.cut);
    CHECK(best.ids.size() == 7);
  }
  const Search search(model.transformer, model.arena, options_for(1));
  const auto given = [&](size_t tokens) {
    return tests::error_of([&] { search.translate(make_batch({{5}}), {.prefixes = {Ids(tokens, 4)}}); });
  };
  CHECK(given(7) == "no error");
  CHECK(given(8) == "2: a prefix has 8 tokens; a translation has at most 7");
}

TEST_CASE("Search: damaged weights and impossible options are refused", "[unit]") {
  SearchModel model(DType::f32, small_config(20), 18);
  const auto construct = [&](const SearchOptions& options) {
    return tests::error_of([&] { Search(model.transformer, model.arena, options); });
  };
  SearchOptions options = options_for(2);
  options.n_best = 3;
  CHECK(construct(options) == "2: n-best must be from 1 to beam-size");
  CHECK(construct(options_for(0)) == "2: beam-size must be at least 1");
  options = options_for(2);
  options.max_length = Transformer::kMaxPositions + 1;
  CHECK(construct(options) == "2: max-length must be at most 2048, got 2049");
  for (const double factor : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    options = options_for(2);
    options.max_length_factor = factor;
    CHECK(construct(options) == "2: max-length-factor must be a number of at least 0");
  }
  options = options_for(2);
  options.eos = 20;
  CHECK(construct(options) ==
        "1: search: <s> and </s> must be ids of the target vocabulary of 20, got 2 and 20");

  SearchModel::set(model.store.find("output.bias").value, 7, std::nan(""));
  SearchOptions unscored = options_for(1);
  unscored.scored = false;
  for (const SearchOptions& of : {options_for(2), unscored}) {
    const Search search(model.transformer, model.arena, of);
    CHECK(tests::error_of([&] {
            search.translate(make_batch({{4, 5}}));
          }) ==
          "4: search: the model's log-probabilities are not finite: "
          "its weights exploded (lower learn-rate) or are damaged");
  }
}
