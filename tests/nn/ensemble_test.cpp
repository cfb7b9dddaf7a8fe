#include "nn/decode/ensemble.h"

#include <cmath>
#include <functional>

#include "tests/data/errors.h"
#include "tests/nn/search_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::nn::search_tests;
using tests::error_of;

namespace {

// log p of the next token after `prefix`, from the definition: the members' log-probabilities
// weighted, and normalised.
std::vector<double> product_of_experts(std::vector<SearchModel*> members, const std::vector<double>& weights,
                                       const Ids& source, const Ids& prefix) {
  std::vector<double> sum;
  for (size_t m = 0; m < members.size(); ++m) {
    const std::vector<double> row = uncached_log_probabilities(*members[m], source, prefix).back();
    sum.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) sum[i] += weights[m] * row[i];
  }
  double total = 0;
  for (const double value : sum) total += std::exp(value);
  for (double& value : sum) value -= std::log(total);
  return sum;
}

// The best of all translations of at most `limit` tokens, each prefix followed.
void try_all(const std::function<std::vector<double>(const Ids&)>& next, Ids prefix, double log_probability,
             size_t limit, Hypothesis& best) {
  const std::vector<double> row = next(prefix);
  const auto n = static_cast<double>(prefix.size());  // tokens with this one; <s> is not counted
  for (int32_t id = 0; id < static_cast<int32_t>(row.size()); ++id) {
    if (!allowed(id)) continue;
    const double sum = log_probability + row[static_cast<size_t>(id)];
    if (id == kEos) {
      if (best.score == 0 || sum / n > best.score) best = {{prefix.begin() + 1, prefix.end()}, sum, sum / n};
    } else if (prefix.size() < limit) {
      Ids longer = prefix;
      longer.push_back(id);
      try_all(next, longer, sum, limit, best);
    }
  }
}

std::vector<Hypothesis> translate(const TranslationModel& model, Arena& arena, const Ids& source,
                                  int64_t beam, int64_t max_length, const Ids& prefix = {}) {
  SearchOptions options = options_for(beam);
  options.max_length = max_length;
  return Search(model, arena, options).translate(make_batch({source}), {.prefixes = {prefix}}).front();
}

}  // namespace

TEST_CASE("Ensemble: it reads as many tokens as the member that reads fewest", "[unit]") {
  TransformerConfig learned = small_config(7);
  learned.learned_positions = true;
  learned.max_length = 7;
  SearchModel a(DType::f64, small_config(7), 1, -30.0), b(DType::f64, learned, 2, -30.0);
  const Ensemble ensemble({&a.transformer, &b.transformer}, {1, 1}, a.store);
  CHECK(most_tokens(ensemble.config()) == 7);
  CHECK(translate(ensemble, a.arena, {5, 6, kEos}, 2, 20).front().ids.size() == 7);
}

TEST_CASE("Ensemble: a beam as wide as the space finds the best of all products of experts", "[unit]") {
  SearchModel a(DType::f64, small_config(7), 1), b(DType::f64, small_config(7), 2);
  const std::vector<double> weights{0.75, 0.25};
  const Ensemble ensemble({&a.transformer, &b.transformer}, {3, 1}, a.store);
  for (const Ids& source : random_sources(4, 5)) {
    Hypothesis best;
    try_all(
        [&](const Ids& prefix) {
          return product_of_experts({&a, &b}, weights, source, prefix);
        },
        {kBos}, 0, 4, best);
    const Hypothesis found = translate(ensemble, a.arena, source, 64, 4).front();
    CHECK(found.ids == best.ids);
    CHECK(found.log_probability == Approx(best.log_probability).epsilon(1e-9));
  }
}

TEST_CASE("Ensemble: so it does behind a given prefix", "[unit]") {
  SearchModel a(DType::f64, small_config(7), 1), b(DType::f64, small_config(7), 2);
  const std::vector<double> weights{0.75, 0.25};
  const Ensemble ensemble({&a.transformer, &b.transformer}, {3, 1}, a.store);
  for (const Ids& source : random_sources(4, 5)) {
    const auto next = [&](const Ids& prefix) {
      return product_of_experts({&a, &b}, weights, source, prefix);
    };
    const double given = next({kBos})[6] + next({kBos, 6})[5];
    Hypothesis best;
    try_all(next, {kBos, 6, 5}, given, 5, best);
    const Hypothesis found = translate(ensemble, a.arena, source, 64, 5, {6, 5}).front();
    CHECK(found.ids == best.ids);
    CHECK(found.log_probability == Approx(best.log_probability).epsilon(1e-9));
  }
}

TEST_CASE("Ensemble: two equal models are one", "[unit]") {
  SearchModel a(DType::f32, small_config(40), 3), b(DType::f32, small_config(40), 3);
  const Ensemble ensemble({&a.transformer, &b.transformer}, {1, 1}, a.store);
  for (const Ids& source : random_sources(6, 7)) {
    const auto one = translate(a.transformer, a.arena, source, 5, 20),
               two = translate(ensemble, a.arena, source, 5, 20);
    REQUIRE(two.size() == one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      CHECK(two[i].ids == one[i].ids);
      // The single model's projection and choice are one kernel, which rounds otherwise.
      CHECK(two[i].log_probability == Approx(one[i].log_probability).epsilon(1e-5));
    }
  }
}

TEST_CASE("Ensemble: logits of a whole batch are the weighted sum of its members'", "[unit]") {
  SearchModel a(DType::f64, small_config(9), 1), b(DType::f64, small_config(9), 2);
  const Ensemble ensemble({&a.transformer, &b.transformer}, {1, 3}, a.store);
  const PackedBatch batch = make_batch({{5, 6, 7}, {4}}, {{kBos, 5, 8}, {kBos, 4}});
  Tape tape(a.arena, Tape::Mode::inference);
  ForwardContext context{tape};
  const auto za = a.transformer.logits(context, batch).to_vector<double>(),
             zb = b.transformer.logits(context, batch).to_vector<double>(),
             z = ensemble.logits(context, batch).to_vector<double>();
  for (size_t i = 0; i < z.size(); ++i) CHECK(z[i] == Approx(0.25 * za[i] + 0.75 * zb[i]).epsilon(1e-12));
}

TEST_CASE("Ensemble: models that do not fit together are refused", "[unit]") {
  SearchModel a(DType::f32, small_config(9), 1), b(DType::f32, small_config(10), 2);
  const auto ensemble = [&](std::vector<const TranslationModel*> members, std::vector<double> weights) {
    return error_of([&] { Ensemble(std::move(members), std::move(weights), a.store); });
  };
  CHECK_THAT(ensemble({&a.transformer, &b.transformer}, {1, 1}), Catch::Contains("must share vocabularies"));
  CHECK_THAT(ensemble({&a.transformer}, {1, 1}), Catch::Contains("expected one for each of 1 models, got 2"));
  CHECK_THAT(ensemble({&a.transformer, &a.transformer}, {1e308, 1e308}), Catch::Contains("their sum is inf"));
  CHECK_THAT(ensemble({&a.transformer}, {0}), Catch::Contains("must be positive"));
  CHECK_THAT(ensemble({}, {}), Catch::Contains("at least one model"));
}
