// The walk through tutorials/by-hand. Every value against PyTorch: tests/golden/make_steps.py wrote
// the fixture, with a model of its own in f64. Shapes are the tutorial's, each stated here once
// more; other numbers are calculated by hand.
#include "tools/tutorials/steps.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "nn/checkpoint/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"
#include "tests/support/folders.h"
#include "tools/explain/matrices.h"
#include "tools/tutorials/model/presets.h"
#include "tools/tutorials/model/transformer.h"

namespace xf::tools::explain {
namespace {

using tests::as_doubles;
using Values = std::vector<double>;
using Shapes = std::vector<std::string>;

const nn::TensorMap& fixture() {
  static const nn::TensorMap tensors =
      nn::read_safetensors(tests::source_folder() + "/tests/golden/steps.safetensors").tensors;
  return tensors;
}

// With the fixture's parameters.
const Walk& golden_walk() {
  static const Walk walk = [] {
    std::map<std::string, Tensor> parameters;
    for (const auto& [name, tensor] : walk_by_hand().parameters) parameters[name] = fixture().at(name);
    return walk_by_hand(parameters);
  }();
  return walk;
}

const WalkStep& step(const std::string& number) {
  const auto found = std::ranges::find(golden_walk().steps, number, &WalkStep::number);
  REQUIRE(found != golden_walk().steps.end());
  return *found;
}

// A step's value, which has this shape and is PyTorch's.
Values checked(const std::string& number, const std::string& name, Shape shape) {
  INFO(number << " " << name);
  const Tensor& value = step(number).find(name).value;
  REQUIRE(value.shape() == shape);
  const Tensor& expected = fixture().at(number + "." + name);
  CHECK(expected.shape() == shape);
  CHECK(tests::max_relative_error(value, expected) <= 1e-11);
  return as_doubles(value);
}

std::vector<int32_t> ids(const std::string& number, const std::string& name, Shape shape) {
  const Tensor& value = step(number).find(name).value;
  REQUIRE(value.shape() == shape);
  return value.to_vector<int32_t>();
}

Values row(const Values& all, size_t row, size_t width) {
  return Values(all.begin() + static_cast<int64_t>(row * width),
                all.begin() + static_cast<int64_t>((row + 1) * width));
}

void check_near(const Values& actual, const Values& expected) {
  REQUIRE(actual.size() == expected.size());
  for (size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == Approx(expected[i]).margin(5e-7));
}

const std::vector<int32_t> kSource{1, 1, 4, 0, 4, 3, 2, 9}, kTarget{5, 2, 5, 0, 6, 7, 9, 8};

TEST_CASE("Steps: 1.1 takes a row of the table for each id", "[golden]") {
  CHECK(ids("1.1", "ids", {2, 4}) == kSource);
  const Values tokens = checked("1.1", "tokens", {2, 4, 6});
  const Values table = as_doubles(fixture().at("source_embedding.weight"));
  for (size_t n = 0; n < kSource.size(); ++n)
    CHECK(row(tokens, n, 6) == row(table, static_cast<size_t>(kSource[n]), 6));
  CHECK(step("1.1").shapes == Shapes{"[2, 4]", "[2, 4, 6]"});
}

TEST_CASE("Steps: 1.2 has the positions with the doubled exponent", "[golden]") {
  const Values table = checked("1.2", "table", {10, 6}), positions = checked("1.2", "positions", {4, 6});
  check_near(row(table, 0, 6), {0, 1, 0, 1, 0, 1});
  check_near(row(table, 1, 6), {.841471, .540302, .002154, .999998, 4.6416e-6, 1});
  CHECK(positions == Values(table.begin(), table.begin() + 24));
}

TEST_CASE("Steps: 1.3 adds the positions to both sentences", "[golden]") {
  const Values tokens = checked("1.1", "tokens", {2, 4, 6}), positions = checked("1.2", "positions", {4, 6});
  const Values sum = checked("1.3", "sum", {2, 4, 6});
  CHECK(checked("1.3", "x", {2, 4, 6}) == sum);  // dropout is off
  for (size_t i = 0; i < sum.size(); ++i)
    CHECK(sum[i] == Approx(tokens[i] + positions[i % 24]).epsilon(1e-14));
}

TEST_CASE("Steps: 2.1 projects, splits into heads and joins them", "[golden]") {
  CHECK(checked("2.1", "x", {2, 4, 6}) == checked("1.3", "x", {2, 4, 6}));
  const Values q = checked("2.1", "q", {2, 4, 6}), heads = checked("2.1", "q_heads", {2, 2, 4, 3});
  checked("2.1", "k", {2, 4, 6});
  checked("2.1", "v", {2, 4, 6});
  const auto at = [](size_t b, size_t h, size_t s, size_t d) { return ((b * 2 + h) * 4 + s) * 3 + d; };
  const Values joined = checked("2.1", "joined", {2, 4, 6}), o = as_doubles(step("2.1.1").find("o").value);
  for (size_t i = 0; i < q.size(); ++i) {  // head h is columns 3h to 3h + 2
    const size_t b = i / 24, s = i / 6 % 4, h = i % 6 / 3, d = i % 3;
    CHECK(heads[at(b, h, s, d)] == q[i]);
    CHECK(o[at(b, h, s, d)] == joined[i]);
  }
  checked("2.1", "y", {2, 4, 6});
  CHECK(step("2.1").shapes == Shapes{"[2, 4, 6]", "[2, 4, 6]", "[2, 2, 4, 3]", "[2, 4, 6]", "[2, 4, 6]"});
}

TEST_CASE("Steps: 2.1.1 scores, masks, and weighs the values", "[golden]") {
  const Values q = checked("2.1.1", "q", {2, 2, 4, 3}), k = checked("2.1.1", "k", {2, 2, 4, 3});
  checked("2.1.1", "v", {2, 2, 4, 3});
  const Values s = checked("2.1.1", "s", {2, 2, 4, 4}), masked = checked("2.1.1", "masked", {2, 2, 4, 4});
  const Values p = checked("2.1.1", "p", {2, 2, 4, 4});
  checked("2.1.1", "o", {2, 2, 4, 3});
  CHECK(s[1] == Approx((q[0] * k[3] + q[1] * k[4] + q[2] * k[5]) / std::sqrt(3.0)).epsilon(1e-6));
  for (size_t n = 0; n < 16; ++n) {
    const Values weights = row(p, n, 4);
    CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1).epsilon(1e-14));
    const bool padded = n < 8;  // sentence 0 ends with padding
    CHECK((masked[4 * n + 3] == -10000) == padded);
    CHECK((weights[3] == 0) == padded);
  }
}

TEST_CASE("Steps: 2.2 has rows of mean 0 and variance 1", "[golden]") {
  const Values sum = checked("2.2", "sum", {2, 4, 6}), y = checked("2.2", "y", {2, 4, 6});
  const Values x = as_doubles(step("2.1").find("x").value), s = as_doubles(step("2.1").find("y").value);
  for (size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == Approx(x[i] + s[i]).epsilon(1e-13));
  for (size_t n = 0; n < 8; ++n) {
    double mean = 0, square = 0;
    for (const double value : row(y, n, 6)) mean += value / 6, square += value * value / 6;
    CHECK(mean == Approx(0).margin(1e-14));
    CHECK(square == Approx(1).epsilon(1e-3));  // but for eps
  }
}

TEST_CASE("Steps: 2.3 goes through three values, none of them negative", "[golden]") {
  CHECK(checked("2.3", "x", {2, 4, 6}) == checked("2.2", "y", {2, 4, 6}));
  for (const double a : checked("2.3", "a", {2, 4, 3})) CHECK(a >= 0);
  checked("2.3", "y", {2, 4, 6});
  CHECK(step("2.3").shapes == Shapes{"[2, 4, 6]", "[2, 4, 3]", "[2, 4, 6]"});
}

TEST_CASE("Steps: 3.1 keeps the shape", "[golden]") {
  CHECK(checked("3.1", "x", {2, 4, 6}) == checked("1.3", "x", {2, 4, 6}));
  checked("3.1", "y", {2, 4, 6});
}

TEST_CASE("Steps: 3.2 is nine layers", "[golden]") {
  checked("3.2", "x", {2, 4, 6});
  checked("3.2", "y", {2, 4, 6});
  CHECK(golden_walk().parameters.count("encoder.layers.8.feed_forward.in.weight") == 1);
  CHECK(golden_walk().parameters.count("encoder.layers.9.feed_forward.in.weight") == 0);
}

TEST_CASE("Steps: 4.1 attends the past, and from padding everything alike", "[golden]") {
  checked("4.1", "x", {2, 4, 6});
  const Values p = checked("4.1", "p_self", {2, 2, 4, 4}), cross = checked("4.1", "p_cross", {2, 2, 4, 4});
  for (size_t n = 0; n < 16; ++n) {
    const size_t b = n / 8, i = n % 4;
    if (b == 0 && i == 3) {
      check_near(row(p, n, 4), {.25, .25, .25, .25});
    } else {
      for (size_t j = 0; j < 4; ++j) CHECK((p[4 * n + j] > 0) == (j <= i));
    }
    CHECK((cross[4 * n + 3] == 0) == (b == 0));
  }
  for (const char* name : {"y_self", "y_cross", "y"}) checked("4.1", name, {2, 4, 6});
}

TEST_CASE("Steps: 4.2 is nine layers", "[golden]") {
  checked("4.2", "x", {2, 4, 6});
  checked("4.2", "y", {2, 4, 6});
}

TEST_CASE("Steps: 5 has the masks by hand and ten logits for each position", "[golden]") {
  CHECK(ids("5", "source", {2, 4}) == kSource);
  CHECK(ids("5", "target", {2, 4}) == kTarget);
  CHECK(ids("5", "source_mask", {2, 1, 1, 4}) == std::vector<int32_t>{1, 1, 1, 0, 1, 1, 1, 1});
  CHECK(ids("5", "target_mask", {2, 1, 4, 4}) ==
        // padding: an empty row
        std::vector<int32_t>{1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0,
                             1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1});
  checked("5", "logits", {2, 4, 10});
  CHECK(step("5").shapes == Shapes{"[2, 4]", "[2, 4, 10]"});
}

TEST_CASE("Steps: every gradient of tutorials/by-hand is PyTorch's", "[golden]") {
  nn::ParameterStore store(DType::f64);
  const nn::quirks::Transformer model(nn::quirks::preset("tutorials/by-hand"), store);
  store.allocate(Device::cpu(), nn::ParameterStore::Gradients::yes);
  for (const nn::Parameter& parameter : store.parameters())
    parameter.value.copy_from(fixture().at(parameter.name));
  Arena arena(Device::cpu());
  nn::Tape tape(arena);
  nn::ForwardContext pass{.tape = tape};
  const nn::Variable z =
      model.forward(pass, Tensor::from(kSource, {2, 4}), Tensor::from(kTarget, {2, 4}), Tensor());
  const Tensor weights = Tensor::empty({2, 4, 10}, DType::f64);
  for (int64_t i = 0; i < 80; ++i) weights.data<double>()[i] = std::cos(static_cast<double>(i));
  tape.backward(z, weights);
  for (const nn::Parameter& parameter : store.parameters()) {
    INFO(parameter.name);
    const auto expected = fixture().find("gradient." + parameter.name);
    // PyTorch has none for the norms that nothing reads.
    CHECK((expected == fixture().end()) ==
          (parameter.name.find("cross_attention.norm") != std::string::npos));
    if (expected == fixture().end()) continue;
    // Floor 1e-3: those of keys' biases are zero in exact arithmetic.
    CHECK(tests::max_relative_error(parameter.gradient, expected->second, 1e-3) <= 1e-10);
  }
}

TEST_CASE("Steps: what is printed is the walk that PyTorch repeated", "[golden]") {
  const Walk walk = walk_by_hand();
  for (const auto& [name, tensor] : walk.parameters) {
    INFO(name);
    // a logarithm and a cosine in f32
    CHECK(tests::max_relative_error(tensor, fixture().at(name)) <= 1e-6);
  }
  CHECK(walk.model.find("5968 parameters") != std::string::npos);
  const std::vector<std::string> contents{"1.1", "1.2", "1.3", "2.1", "2.1.1", "2.2",
                                          "2.3", "3.1", "3.2", "4.1", "4.2",   "5"};
  REQUIRE(walk.steps.size() == contents.size());
  for (size_t i = 0; i < contents.size(); ++i) CHECK(walk.steps[i].number == contents[i]);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(tests::source_folder() + "/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("Steps: the line that a value names is where the code shows its equation, and the page has it",
          "[unit]") {
  for (const WalkStep& step : golden_walk().steps) {
    for (const StepValue& value : step.values) {
      INFO(step.number << " " << value.name << " " << value.file << ":" << value.line);
      const auto code = lines_of(value.file), page = lines_of(value.page);
      REQUIRE(value.line <= code.size());
      // A statement of two lines begins one above: compilers differ in which of them a call is on.
      const std::string statement = (value.line < 2 ? "" : code[value.line - 2]) + code[value.line - 1];
      CHECK(statement.find("\"" + value.equation + "\"") != std::string::npos);
      CHECK(std::ranges::any_of(
          page, [&](const std::string& line) { return line.find(value.equation) != line.npos; }));
    }
  }
}

TEST_CASE("Steps: text is 100 columns wide, and JSON, SVG and HTML hold the same steps", "[unit]") {
  const Walk walk = walk_by_hand();
  std::stringstream text(to_text(walk));
  for (std::string line; std::getline(text, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
  const auto json = nlohmann::json::parse(to_json(walk));
  CHECK(json.at("steps").size() == walk.steps.size());
  CHECK(json.at("steps")[4].at("values")[5].at("value").size() == 64);  // p [2, 2, 4, 4]
  CHECK(json.at("parameters").size() == walk.parameters.size());
  const std::string html = to_html(walk), svg = to_svg(walk);
  CHECK(html.find("<script") == std::string::npos);
  for (const WalkStep& step : walk.steps) {
    CHECK(html.find(fmt::format("<h2 id=\"step-{0}\">{0} {1}</h2>", step.number, step.title)) !=
          std::string::npos);
    CHECK(svg.find(step.title) != std::string::npos);
  }
}

TEST_CASE("Steps: one step alone, and one that does not exist", "[unit]") {
  const Walk kernel = only(walk_by_hand(), "2.1.1");
  REQUIRE(kernel.steps.size() == 1);
  CHECK(kernel.steps[0].title == "Attention kernel");
  try {
    only(walk_by_hand(), "2.4");
    FAIL("nothing was refused");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_THAT(error.what(), Catch::Contains("'2.4'") && Catch::Contains("2.1.1"));
  }
}

TEST_CASE("Steps: a tensor's matrices have the indices of its leading axes, and short numbers", "[unit]") {
  const auto all = matrices(Tensor::from(Values{1, -0.00001, 12345.678, 0, -1e4, 2, 3, 4}, {2, 1, 2, 2}));
  REQUIRE(all.size() == 2);
  CHECK(all[1].index == "[1, 0]");
  CHECK(all[0].rows == std::vector<std::vector<std::string>>{{"1.0000", "-1e-05"}, {"12346", "0"}});
  CHECK(all[1].rows[0][0] == "-10000");
  CHECK(matrices(Tensor::from(Values{1, 2}, {2}))[0].rows.size() == 1);
}

}  // namespace
}  // namespace xf::tools::explain
