// What xformer-explain prints of an op: its numbers against ones that were calculated by hand or
// published, and against each other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/tools/parsed_options.h"
#include "tools/explain/op.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {
namespace {

std::vector<double> value(const Explanation& explanation, const std::string& name) {
  for (const auto& [equation, results] : explanation.equations) {
    for (const Result& result : results) {
      if (result.name == name) return result.value.to_vector<double>();
    }
  }
  return {};
}

void check_values(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(expected[i]).margin(1e-7).epsilon(1e-6));
}

TEST_CASE("Explain: every op's kernels agree on its example, and its gradients with central differences",
          "[unit]") {
  for (const Op& op : ops()) {
    const Explanation explanation = explain(op, {});
    CHECK(explanation.equations.size() == op.equations.size());
    for (const auto& [equation, results] : explanation.equations) {
      for (const Result& result : results) {
        INFO(op.name << " " << equation->id << " " << result.name);
        CHECK(result.f32 < 2e-6);  // f32 rounds by 6e-8; some ten roundings, each doubled by a
                                   // difference
        CHECK(result.numeric.defined() == (equation->gradient_of != nullptr));
        CHECK(result.error < 1e-6);
      }
    }
  }
}

TEST_CASE("Explain: layer_norm of 1 2 3 4 has the numbers calculated by hand", "[golden]") {
  // As in tests/kernels/layer_norm_test.cpp; mean 2.5, variance 1.25.
  const Explanation e = explain(find_op("layer_norm"), {{"x", "1,2,3,4"}, {"dy", "1,0,0,0"}});
  check_values(value(e, "mean"), {2.5});
  check_values(value(e, "rstd"), {1 / std::sqrt(1.25 + static_cast<double>(1e-5f))});
  check_values(value(e, "y"), {-1.3416354, -0.4472118, 0.4472118, 1.3416354});
  check_values(value(e, "dbeta"), {1, 0, 0, 0});
  // <g> = 1/4, <g xhat> = xhat_0 / 4.
  const double rstd = 1 / std::sqrt(1.25 + static_cast<double>(1e-5f));
  std::vector<double> dx;
  for (const double centred : {-1.5, -0.5, 0.5, 1.5}) {
    dx.push_back(rstd * ((centred == -1.5) - 0.25 - centred * rstd * -1.5 * rstd / 4));
  }
  check_values(value(e, "dx"), dx);
}

// Batch norm in training, without gain and offset, is layer norm of the batch's columns: x is
// [features, samples]. By hand; eps = 1e-5 takes 5e-6 from the numbers.
TEST_CASE("Explain: layer norm of a batch's columns depends on the batch, and one sample alone becomes 0",
          "[golden]") {
  const auto y = [](const char* x, const char* dy) {
    return value(explain(find_op("layer_norm"), {{"x", x}, {"dy", dy}}), "y");
  };
  const double one = 1 / std::sqrt(1 + static_cast<double>(1e-5f)),
               two = 2 / std::sqrt(4 + static_cast<double>(1e-5f));
  check_values(y("1,3;2,2;3,1;4,0", "1,0;0,0;0,0;0,0"), {-one, one, 0, 0, one, -one, two, -two});
  check_values(y("1;2;3;4", "1;0;0;0"), {0, 0, 0, 0});
}

TEST_CASE("Explain: a look-up returns the rows of its ids, and sums gradients into them", "[golden]") {
  // A tutorial's table; the rows that nobody looks up are zeros here.
  const char* table =
      "0,0,0;.5532,-1.0127,1.3929;.0723,-.3750,-.0773;.2600,-.3750,.8686;-.3842,-1.3079,-.9690;"
      "-1.8088,-.3024,-1.9127;0,0,0;0,0,0;0,0,0;.4828,-.8169,.7782";
  const Explanation e = explain(find_op("lookup"), {{"x", table}, {"id", "1,2,4,5;4,3,2,9"}});
  check_values(value(e, "y"), {.5532,  -1.0127, 1.3929, .0723,   -.3750, -.0773,  -.3842, -1.3079,
                               -.9690, -1.8088, -.3024, -1.9127, -.3842, -1.3079, -.9690, .2600,
                               -.3750, .8686,   .0723,  -.3750,  -.0773, .4828,   -.8169, .7782});
  const Explanation twice =
      explain(find_op("lookup"), {{"x", "1,2;3,4;5,6"}, {"id", "2,0,2"}, {"dy", "1,0;0,1;1,1"}});
  check_values(value(twice, "dx"), {0, 1, 0, 0, 2, 1});
}

TEST_CASE("Explain: softmax and cross-entropy have published numbers", "[golden]") {
  // e^1, e^2, e^3 over their sum.
  check_values(value(explain(find_op("softmax"), {{"x", "1,2,3"}}), "y"),
               {0.09003057, 0.24472847, 0.66524096});
  // Two equal logits: log 2, whatever the smoothing; p - q = 0.5 - 0.95 and 0.5 - 0.05.
  const Explanation e = explain(find_op("cross_entropy"), {{"x", "0,0"}, {"target", "0"}});
  check_values(value(e, "y"), {std::log(2.0)});
  check_values(value(e, "dx"), {-0.45, 0.45});
}

// exp(-infinity) = 0; of 1 and 2 softmax is 1/(1+e) and e/(1+e), whatever is masked beside them.
TEST_CASE("Explain: softmax and attention take masks, and infinite scores", "[unit]") {
  const double low = 1 / (1 + std::exp(1.0)), high = 1 - low;
  const auto numbers = [](const char* op, const std::map<std::string, std::string>& given, const char* name) {
    const Explanation explanation = explain(find_op(op), given);
    for (const auto& [equation, results] : explanation.equations) {
      for (const Result& result : results) {
        INFO(op << " " << equation->id << " " << result.name);
        CHECK(result.f32 < 2e-6);
        CHECK(result.error < 1e-6);
      }
    }
    return value(explanation, name);
  };
  check_values(numbers("softmax", {{"x", "1,2,-inf"}}, "y"), {low, high, 0});
  check_values(numbers("softmax", {{"x", "-inf,0"}}, "y"), {0, 1});
  check_values(numbers("softmax", {{"x", "1,2,7"}, {"mask", "1,1,0"}}, "y"), {low, high, 0});
  check_values(numbers("softmax", {{"x", "1,2,7;1,7,2"}, {"mask", "1,1,0;1,0,1"}}, "y"),
               {low, high, 0, low, 0, high});
  check_values(numbers("softmax", {{"x", "1,2;1,2"}, {"causal", "1"}}, "y"), {1, 0, low, high});
  check_values(numbers("softmax", {{"x", "1,2"}, {"mask", "0,0"}}, "y"), {0, 0});
  // Scores 1 and 2 of a single query (c = 1): the value of the third key never counts.
  const std::map<std::string, std::string> query = {{"x", "1"}, {"k", "1;2;7"}, {"v", "1;0;5"}, {"dy", "1"}};
  auto masked = query;
  masked["mask"] = "1,1,0";
  check_values(numbers("attention", masked, "y"), {low});
  auto causal = query;
  causal["causal"] = "1";
  check_values(numbers("attention", causal, "y"), {1});
  masked["causal"] = "1";
  check_values(numbers("attention", masked, "p"), {1, 0, 0});
  const auto refused = [](const char* op, std::map<std::string, std::string> given) {
    return tests::error_of([&] { explain(find_op(op), given); });
  };
  CHECK_THAT(refused("softmax", {{"x", "1,nan"}}), Catch::Contains("'nan' is not a number"));
  CHECK_THAT(refused("softmax", {{"mask", "1,1"}}), Catch::Contains("mask must have a number for each key"));
  CHECK_THAT(refused("attention", {{"mask", "1,2,0"}}), Catch::Contains("mask must be of 0 and 1"));
  CHECK_THAT(refused("softmax", {{"causal", "2"}}), Catch::Contains("causal must be 0 or 1"));
  const auto json = nlohmann::json::parse(to_json(explain(find_op("softmax"), {{"x", "-inf,0"}})));
  CHECK(json.at("inputs").at("x").at("value") == nlohmann::json({"-inf", 0.0}));
}

// Each rule leaves the numbers of a softmax over the keys that may be attended, 0 elsewhere, and
// zeros where no key is left; gradients are checked by explain() itself.
TEST_CASE("Explain: lengths, sentences and rows without a key have the numbers of the definition", "[unit]") {
  const auto of = [](const char* op, const std::map<std::string, std::string>& given) {
    const Explanation explanation = explain(find_op(op), given);
    for (const auto& [equation, results] : explanation.equations) {
      for (const Result& result : results) {
        INFO(op << " " << equation->id << " " << result.name);
        CHECK(result.f32 < 2e-6);
        CHECK(result.error < 1e-6);
      }
    }
    return explanation;
  };
  const double low = 1 / (1 + std::exp(1.0)), high = 1 - low;
  check_values(value(of("softmax", {{"x", "1,2,7"}, {"lengths", "2"}}), "y"), {low, high, 0});
  // Two sentences of two queries, of two keys and of one; causal counts within each.
  check_values(value(of("softmax", {{"x", "1,2;1,2;5,9;9,5"}, {"lengths", "2,1"}, {"causal", "1"}}), "y"),
               {1, 0, low, high, 1, 0, 1, 0});
  // Nothing to attend: by length, by mask, by scores.
  for (const std::map<std::string, std::string>& none :
       {std::map<std::string, std::string>{{"x", "1,2"}, {"lengths", "0"}},
        {{"x", "1,2"}, {"mask", "0,0"}},
        {{"x", "-inf,-inf"}}}) {
    const Explanation e = of("softmax", none);
    check_values(value(e, "y"), {0, 0});
    check_values(value(e, "dx"), {0, 0});
  }
  // Sentences of one query and two keys, and of two queries and one key; then what causal leaves.
  std::map<std::string, std::string> pair = {{"x", "1;1;2"},  {"k", "1;2;7"},       {"v", "1;0;5"},
                                             {"dy", "1;2;3"}, {"x_lengths", "1,2"}, {"k_lengths", "2,1"}};
  const Explanation packed = of("attention", pair);
  check_values(value(packed, "p"), {low, high, 0, 0, 0, 1, 0, 0, 1});
  check_values(value(packed, "y"), {low, 5, 5});
  pair["mask"] = "1,1,1";  // by products and a softmax, in place of the kernel: the same
  check_values(value(of("attention", pair), "dv"), value(packed, "dv"));
  pair["mask"] = "0,1,0";
  check_values(value(of("attention", pair), "p"), {0, 1, 0, 0, 0, 0, 0, 0, 0});
  pair.erase("mask"), pair["causal"] = "1";
  check_values(value(of("attention", pair), "p"), {1, 0, 0, 0, 0, 1, 0, 0, 1});
  const auto refused = [](const char* op, std::map<std::string, std::string> given) {
    return tests::error_of([&] { explain(find_op(op), given); });
  };
  CHECK_THAT(refused("softmax", {{"x", "1,2;3,4;5,6"}, {"lengths", "2,1"}}),
             Catch::Contains("lengths must divide the rows into equal sentences"));
  CHECK_THAT(refused("attention", {{"k_lengths", "1,1"}}),
             Catch::Contains("k_lengths must add up to 3, the number of rows"));
  CHECK_THAT(refused("attention", {{"k_lengths", "1,2"}}),
             Catch::Contains("x_lengths and k_lengths must be as many"));
}

TEST_CASE("Explain: dropout keeps and enlarges the same elements both ways, by seed, site and update",
          "[unit]") {
  const auto m = [](const char* name, const char* number) {
    const Explanation e = explain(find_op("dropout"), {{name, number}});
    const std::vector<double> factors = value(e, "m"), y = value(e, "y"), dx = value(e, "dx");
    for (size_t i = 0; i < factors.size(); ++i) {
      CHECK(y[i] == factors[i] * static_cast<double>(i + 1));  // x is 1 to 8
      CHECK(dx[i] == factors[i]);                              // dy is 1
    }
    return factors;
  };
  const std::vector<double> usual = m("rate", "0.5");
  CHECK(std::ranges::count(usual, 0) + std::ranges::count(usual, 2) == 8);
  for (const char* name : {"seed", "site", "update"}) CHECK(m(name, "7") != usual);
  CHECK(m("rate", "0") == std::vector<double>(8, 1));
  CHECK_THAT(tests::error_of([&] { m("rate", "1"); }), Catch::Contains("p must be in [0, 1), got 1"));
}

// A loss of a word that cannot come is infinite and has no slope: none is made up, and the gradient
// is not called wrong.
TEST_CASE("Explain: where a loss is infinite no central difference accuses the gradient", "[unit]") {
  const Explanation explanation = explain(find_op("cross_entropy"), {{"x", "-inf,0"}});
  CHECK(value(explanation, "y") == std::vector<double>{std::numeric_limits<double>::infinity()});
  check_values(value(explanation, "dx"), {-0.95, 0.95});
  for (const auto& [equation, results] : explanation.equations) {
    for (const Result& result : results) CHECK(result.error < 1e-6);
  }
  CHECK_THAT(to_text(explanation), Catch::Contains("inf"));
}

TEST_CASE("Explain: JSON holds what the text shows", "[unit]") {
  for (const Op& op : ops()) {
    const Explanation explanation = explain(op, {});
    const auto json = nlohmann::json::parse(to_json(explanation));
    CHECK(json.at("op") == op.name);
    const auto has_example = [](const Input& input) { return *input.example != '\0'; };
    CHECK(std::ssize(json.at("inputs")) == std::ranges::count_if(op.inputs, has_example));
    const std::string text = to_text(explanation);
    for (const auto& equation : json.at("equations")) {
      CHECK(text.find("(" + equation.at("id").get<std::string>() + ")") != std::string::npos);
    }
  }
}

TEST_CASE("Explain: what does not fit is named", "[unit]") {
  const auto refused = [](const char* op, std::map<std::string, std::string> given) {
    try {
      explain(find_op(op), given);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Contains;
  CHECK_THAT(refused("layernorm", {}), Contains("did you mean 'layer_norm'"));
  CHECK_THAT(refused("layer_norm", {{"gama", "1"}}),
             Contains("no input is called 'gama'") && Contains("gamma"));
  CHECK_THAT(refused("layer_norm", {{"x", "1,two"}}), Contains("'two' is not a number"));
  CHECK_THAT(refused("layer_norm", {{"x", "1,2;3"}}), Contains("rows of 2 and of 1"));
  CHECK_THAT(refused("layer_norm", {{"x", "1,2,3"}, {"dy", "1,0"}}),
             Contains("dy must be [1, 3], got [1, 2]"));
  CHECK_THAT(refused("cross_entropy", {{"target", "7"}}), Contains("7"));
  CHECK_THAT(refused("cross_entropy", {{"x", "1,2,300;7,1,1"}, {"target", "0;-1"}}),
             Contains("target: -1 is not an id"));
  for (const char* x : {"1,,2", ",", "1,2;", "1,2;;3,4"})
    CHECK_THAT(refused("softmax", {{"x", x}}), Contains("'' is not a number"));
}

TEST_CASE("Explain: shapes that do not fit are an error of usage, in the user's words", "[unit]") {
  const auto refused = [](const char* op, std::map<std::string, std::string> given) {
    return tests::error_of([&] { explain(find_op(op), given); });
  };
  CHECK(refused("layer_norm", {{"x", "1,2,3"}, {"gamma", "1,2"}}) ==
        "2: xformer-explain op layer_norm: gamma must be [3], got [2] (x [1, 3], gamma [2]; "
        "by default: beta [3], dy [1, 3])");
  CHECK(refused("matmul", {{"x", "1,2"}}) ==
        "2: xformer-explain op matmul: op(a) is [1, 2], so op(b) must have 2 rows, got 3 (x [1, 2]; by "
        "default: w [3, 2], dy [2, 2])");
  CHECK(refused("residual_norm", {{"dsum", "1"}}).starts_with("2: xformer-explain op residual_norm: dsum"));
  for (const char* op : {"adam", "sgd", "muon"})
    CHECK_THAT(refused(op, {{"x", "1,2,3"}, {"dy", "1,2"}}),
               Catch::Contains("2: xformer-explain op") &&
                   Catch::Contains(": dy must be [1, 3], as x is, got [1, 2]"));
  CHECK_THAT(refused("rotary", {{"x", "1,2,3"}}), Catch::Contains("x must have an even number of columns"));
  CHECK_THAT(refused("r_drop", {{"x", "1,2"}}), Catch::Contains("x must have an even number of rows"));
  CHECK_THAT(refused("top_k", {{"x", "1"}}), Catch::Contains("x must have two columns or more"));
}

std::string page_of(std::vector<const char*> words) {
  words.insert(words.begin(), "xformer-explain op");
  return op_page(*parse_options(OpOptions(), static_cast<int>(words.size()), words.data()));
}

TEST_CASE("Explain: numbers and formats without an op are refused, and an input that is given twice",
          "[unit]") {
  CHECK(page_of({}).starts_with("matmul"));
  CHECK_THAT(tests::error_of([] { page_of({"--x", "1,2"}); }), Catch::StartsWith("2: --x: "));
  CHECK_THAT(tests::error_of([] { page_of({"-f", "json"}); }), Catch::StartsWith("2: --format json"));
  CHECK(tests::error_of([] {
          page_of({"softmax", "--x", "5,6", "--with", "x=1,2"});
        }) == "2: --with x=1,2: x is given twice; leave out one");
}

TEST_CASE("Explain: central differences of large numbers do not accuse right gradients", "[grad]") {
  for (const char* op : {"relu", "gelu", "swish"}) {
    const Explanation explanation = explain(find_op(op), {{"x", "1e12,2"}, {"dy", "1,1"}});
    for (const auto& [equation, results] : explanation.equations) {
      INFO(op << " " << equation->id);
      CHECK(results.front().error < 1e-6);
    }
  }
}

TEST_CASE("Explain: what is no line of UTF-8 is refused with the option's name", "[unit]") {
  const auto checked = [](const char* source) {
    const char* const words[] = {"xformer-explain masks", "--source", source};
    return tests::error_of([&] {
      const MasksOptions options = *parse_options(MasksOptions(), 3, words);
      check_text(options_of(options));
    });
  };
  CHECK(checked("ein müder Hund") == "no error");
  CHECK_THAT(checked("a \xff b"), Catch::StartsWith("2: --source: not UTF-8 from its byte 3 on"));
  CHECK_THAT(checked("a dog\nruns"), Catch::StartsWith("2: --source: has a line break"));
}

TEST_CASE("Explain: a folder's name that is not UTF-8 does not keep JSON from being written", "[unit]") {
  CHECK(json_page({{"model", "run\xff"}}, -1) == "{\"model\":\"run\uFFFD\"}\n");
}

TEST_CASE("Explain: lines of a page are counted in letters, and stand behind their margin", "[unit]") {
  std::string word;
  for (int i = 0; i < 49; ++i) word += "ü";
  CHECK(wrapped(word + " " + word + "ü") == word + " " + word + "ü\n");  // 49 + 1 + 50
  CHECK(wrapped(word + " " + word + "ü", 2) == "  " + word + "\n  " + word + "ü\n");
}

TEST_CASE("Explain: JSON of a number that overflows is JSON", "[unit]") {
  const Explanation explanation = explain(find_op("layer_norm"), {{"x", "1e200,2"}});
  REQUIRE(std::isinf(explanation.equations.front().results.front().f32));  // f32 has no 1e200
  const auto json = nlohmann::json::parse(to_json(explanation));
  CHECK(json.at("equations").front().at("f32_error").is_null());
}

}  // namespace
}  // namespace xf::tools::explain
