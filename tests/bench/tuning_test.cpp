// How the setting of a peer is chosen; the times are made up.
#include "bench/tuning.h"

#include <cmath>

#include "core/error.h"
#include "tests/support/catch.h"

namespace xf::bench {
namespace {

using Catch::Contains;
using Names = std::vector<std::string>;

// Of each setting on the sample and on all; none: it does not run.
using Times = std::map<std::string, std::pair<double, double>>;

TimeSetting clock_of(const Times& times, Names& order) {
  return [&](const Setting& setting, bool sample) {
    order.push_back(setting.name);
    const auto found = times.find(setting.name);
    if (found == times.end())
      return Tried{setting.name, "", kUnknown, setting.name + " is not for this machine"};
    return Tried{setting.name, sample ? "a part" : "all",
                 sample ? found->second.first : found->second.second};
  };
}

Offer offer_of(const Names& settings, const Names& refinements) {
  Offer offer;
  for (const std::string& name : settings) offer.settings.push_back({name, {}});
  for (const std::string& name : refinements) offer.refinements.push_back({name, {}});
  return offer;
}

TEST_CASE("Tuning: the fastest of all settings is chosen, wherever it stands, and all are recorded",
          "[unit]") {
  for (const Names& settings : {Names{"a", "b", "c"}, Names{"b", "c", "a"}, Names{"c", "a", "b"}}) {
    Names order;
    const Tuned tuned =
        tune(offer_of(settings, {}), clock_of({{"a", {3, 0}}, {"b", {1, 0}}, {"c", {2, 0}}}, order));
    CHECK(tuned.setting.name == "b");
    CHECK(tuned.tuning.chosen == "b");
    CHECK(tuned.tuning.why == "fastest of 3 settings on a part");
    REQUIRE(tuned.tuning.tried.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(tuned.tuning.tried[i].setting == settings[i]);
    CHECK(order == settings);
  }
}

TEST_CASE("Tuning: what counts in the end is the time of all the work, of the fastest on the sample refined",
          "[unit]") {
  Names order;
  const Times times = {{"a", {1, 0}},    {"b", {2, 0}},    {"c", {3, 0}},     {"a, x", {0, 9}},
                       {"a, y", {0, 8}}, {"b, x", {0, 7}}, {"b, y", {0, 7.5}}};
  const Tuned tuned = tune(offer_of({"c", "b", "a"}, {"x", "y"}), clock_of(times, order));
  CHECK(tuned.tuning.chosen == "b, x");
  CHECK(order == Names{"c", "b", "a", "a, x", "a, y", "b, x", "b, y"});
  CHECK(tuned.tuning.why ==
        "fastest of 7 settings: 3 on a part, then the 2 fastest of them in 2 ways each on all");
  CHECK(tuned.tuning.tried[5].seconds == 7);
}

TEST_CASE("Tuning: a setting that does not run is recorded with its reason, and is not chosen", "[unit]") {
  Names order;
  const Tuned tuned = tune(offer_of({"broken", "slow"}, {"x", "y"}),
                           clock_of({{"slow", {5, 5}}, {"slow, y", {0, 6}}}, order));
  CHECK(tuned.tuning.chosen == "slow, y");
  REQUIRE(tuned.tuning.tried.size() == 4);
  CHECK(std::isnan(tuned.tuning.tried[0].seconds));
  CHECK(tuned.tuning.tried[0].why_not == "broken is not for this machine");
  CHECK_THAT(tuned.tuning.why, Contains("fastest of 4 settings") && Contains("the 1 fastest") &&
                                   Contains("2 of them did not run"));
}

TEST_CASE(
    "Tuning: where no refinement runs, the fastest on the sample stays, "
    "and where nothing does it is an error",
    "[unit]") {
  Names order;
  CHECK(tune(offer_of({"a", "b"}, {"x"}), clock_of({{"a", {2, 0}}, {"b", {1, 0}}}, order)).tuning.chosen ==
        "b");
  CHECK_THROWS_WITH(tune(offer_of({"a", "b"}, {}), clock_of({}, order)),
                    Contains("a is not for this machine"));
}

TEST_CASE("Tuning: settings of one environment follow each other, and a refinement's values count",
          "[unit]") {
  const Offer offer = offer_from(R"({"kept": 1, "turns": 4, "settings": [
      {"name": "a", "environment": {"M": "1", "P": "0"}, "options": {"threads": 2, "replicas": 1}},
      {"name": "b", "environment": {"M": "2"}}, {"name": "c", "environment": {"M": "1", "P": "0"}}],
      "refinements": [{"name": "x", "environment": {"P": "7"}, "options": {"threads": 9}}]})");
  CHECK(offer.turns == 4);
  Names order;
  const Tuned tuned =
      tune(offer, clock_of({{"a", {1, 1}}, {"b", {2, 2}}, {"c", {3, 3}}, {"a, x", {1, 1}}}, order));
  CHECK(order == Names{"a", "c", "b", "a, x"});
  CHECK(tuned.setting.environment == std::map<std::string, std::string>{{"M", "1"}, {"P", "7"}});
  CHECK(tuned.setting.options == R"({"replicas":1,"threads":9})");
}

TEST_CASE("Tuning: what is no offer is refused", "[unit]") {
  for (const char* const text : {"", "Traceback", "[]", "{}", R"({"settings": []})", R"({"settings": [{}]})",
                                 R"({"settings": [{"name": "a"}], "turns": 0})"}) {
    INFO(text);
    CHECK_THROWS_AS(offer_from(text), Error);
  }
}

}  // namespace
}  // namespace xf::bench
