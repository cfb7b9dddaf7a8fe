#include "nn/teacher_forced.h"

#include <algorithm>
#include <cmath>

#include "tests/nn/search_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::nn::search_tests;

namespace {

int32_t arg_max(const std::vector<double>& row) {
  return static_cast<int32_t>(std::ranges::max_element(row) - row.begin());
}

}  // namespace

TEST_CASE("Teacher forcing: each position's id is the arg max of its logits, in a batch as alone", "[unit]") {
  SearchModel model(DType::f64, small_config(11), 3);
  const std::vector<Ids> sources = {{5, 6, 7}, {4}, {9, 8, 4, 4, 5}};
  const std::vector<Ids> targets = {{kBos, 4, 10}, {kBos}, {kBos, 5, 6, 7, 8, 9}};
  const auto forced = teacher_forced(model.transformer, model.arena, make_batch(sources, targets));
  REQUIRE(forced.size() == 3);
  for (size_t b = 0; b < 3; ++b) {
    Ids expected;
    for (const auto& row : uncached_log_probabilities(model, sources[b], targets[b]))
      expected.push_back(arg_max(row));
    CHECK(forced[b] == expected);
  }
}

TEST_CASE("Teacher forcing: along its own greedy translation the model says it again, and </s>", "[unit]") {
  for (const uint64_t seed : {3, 4, 5}) {
    SearchModel model(DType::f64, small_config(11), seed);
    const Tensor bias = model.store.find("output.bias").value;
    // search never gives them
    for (const int32_t id : {kPad, kUnk, kBos}) SearchModel::set(bias, id, -100);
    const Ids source = {5, 6, 7};
    const Search search(model.transformer, model.arena, options_for(1));
    const Hypothesis greedy = search.translate(make_batch({source}, {{kBos}}))[0][0];
    Ids target{kBos}, expected = greedy.ids;
    target.insert(target.end(), greedy.ids.begin(), greedy.ids.end());
    expected.push_back(kEos);
    if (greedy.cut) {
      target.pop_back();
      expected.pop_back();
    }
    CHECK(teacher_forced(model.transformer, model.arena, make_batch({source}, {target}))[0] == expected);
  }
}

TEST_CASE("Teacher forcing: </s> ends nothing", "[unit]") {
  SearchModel model(DType::f32, small_config(11), 3, /*eos_bias=*/100);
  const auto forced = teacher_forced(model.transformer, model.arena, make_batch({{5}}, {{kBos, 4, 5, 6}}));
  CHECK(forced[0] == Ids{kEos, kEos, kEos, kEos});
}

TEST_CASE("Teacher forcing: weights that are not finite are refused", "[unit]") {
  SearchModel model(DType::f32, small_config(11), 3);
  model.store.find("output.bias").value.data<float>()[5] = std::nanf("");
  CHECK_THROWS_AS(teacher_forced(model.transformer, model.arena, make_batch({{5}}, {{kBos, 4}})), Error);
}

TEST_CASE("Log-probabilities: those of each target token, in a batch as alone", "[unit]") {
  SearchModel model(DType::f64, small_config(11), 3);
  const std::vector<Ids> sources = {{5, 6, 7}, {4}, {9, 8, 4, 4, 5}};
  const std::vector<Ids> targets = {{kBos, 4, 10}, {kBos}, {kBos, 5, 6, 7, 8, 9}};
  const std::vector<Ids> next = {{4, 10, kEos}, {kEos}, {5, 6, 7, 8, 9, kEos}};
  PackedBatch batch = make_batch(sources, targets);
  Ids all;
  for (const Ids& sentence : next) all.insert(all.end(), sentence.begin(), sentence.end());
  batch.target_out = Tensor::from(all);
  const auto found = log_probabilities(model.transformer, model.arena, batch);
  REQUIRE(found.size() == 3);
  for (size_t b = 0; b < 3; ++b) {
    const auto rows = uncached_log_probabilities(model, sources[b], targets[b]);
    REQUIRE(found[b].size() == next[b].size());
    for (size_t i = 0; i < next[b].size(); ++i)
      CHECK(found[b][i] == Approx(rows[i][static_cast<size_t>(next[b][i])]).epsilon(1e-9));
  }
  model.store.find("output.bias").value.data<double>()[5] = std::nan("");
  CHECK_THROWS_AS(log_probabilities(model.transformer, model.arena, batch), Error);
}
