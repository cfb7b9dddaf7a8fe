// What xformer-explain masks shows: matrices and rows that were calculated by hand, and places that
// are in the sources.
#include "tools/explain/masks.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "tests/data/errors.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/tools/parsed_options.h"

namespace xf::tools::explain {
namespace {

using tests::error_of;

const MaskRule& rule_of(const Masks& masks, const std::string& name) {
  for (const MaskRule& rule : masks.rules) {
    if (rule.name == name) return rule;
  }
  throw std::runtime_error("no rule " + name);
}

// "1110 1110 0000": a sentence's rows.
std::string rows_of(const MaskRule& rule, const std::string& use, size_t sentence) {
  for (const MaskUse& one : rule.uses) {
    if (one.use != use) continue;
    const TokenMatrix& matrix = one.matrices.at(sentence).matrix;
    std::string rows;
    for (size_t i = 0; i < matrix.rows.size(); ++i) {
      rows += i == 0 ? "" : " ";
      for (size_t j = 0; j < matrix.columns.size(); ++j) rows += matrix.at(i, j) == 1 ? '1' : '0';
    }
    return rows;
  }
  return "no such use";
}

TEST_CASE("Masks: the engine masks keys beyond a sentence for every query, and the decoder's future",
          "[unit]") {
  const Masks masks = masks_of("a b c ; d", "<s> x ; <s> y z", "<pad>");
  const MaskRule& rule = rule_of(masks, "This engine, padded");
  CHECK(rows_of(rule, "encoder self-attention", 0) == "111 111 111");
  CHECK(rows_of(rule, "encoder self-attention", 1) == "100 100 100");
  CHECK(rows_of(rule, "decoder self-attention", 0) == "100 110 110");
  CHECK(rows_of(rule, "decoder self-attention", 1) == "100 110 111");
  CHECK(rows_of(rule, "cross-attention", 1) == "100 100 100");
  const MaskRule& packed = rule_of(masks, "This engine, packed");
  CHECK(rows_of(packed, "encoder self-attention", 0) == "1110 1110 1110 0001");
  CHECK(rows_of(packed, "decoder self-attention", 0) == "10000 11000 00100 00110 00111");
  CHECK(rows_of(packed, "cross-attention", 0) == "1110 1110 0001 0001 0001");
}

// By hand, from (k != pad) and (q != pad), and j <= i for the decoder; pad is 1.
TEST_CASE("Masks: padding on both axes, by hand", "[golden]") {
  const Masks masks = masks_of("2 5 6 3 ; 2 7 3 1", "2 8 9 ; 2 10 1", "1");
  const MaskRule& rule = rule_of(masks, "Padding on both axes");
  CHECK(rows_of(rule, "encoder self-attention", 0) == "1111 1111 1111 1111");
  CHECK(rows_of(rule, "encoder self-attention", 1) == "1110 1110 1110 0000");
  CHECK(rows_of(rule, "cross-attention", 1) == "1110 1110 0000");
  CHECK(rows_of(rule, "decoder self-attention", 0) == "100 110 111");
  CHECK(rows_of(rule, "decoder self-attention", 1) == "100 110 000");
}

// By hand: the source's keys, and a triangle whose padded query rows are empty; pad is 0.
TEST_CASE("Masks: target padding on the query axis, by hand", "[golden]") {
  const Masks masks = masks_of("1 1 4 0 ; 4 3 2 9", "5 2 5 0 ; 6 7 9 8", "0");
  const MaskRule& rule = rule_of(masks, "Target padding on the query axis");
  CHECK(rows_of(rule, "encoder self-attention", 0) == "1110 1110 1110 1110");
  CHECK(rows_of(rule, "encoder self-attention", 1) == "1111 1111 1111 1111");
  // row sums 1, 2, 3, 0
  CHECK(rows_of(rule, "decoder self-attention", 0) == "1000 1100 1110 0000");
  // row sums 1, 2, 3, 4
  CHECK(rows_of(rule, "decoder self-attention", 1) == "1000 1100 1110 1111");
}

TEST_CASE("Masks: a sentence without words, and one side alone, are refused", "[unit]") {
  for (const char* text : {"a b;;c", "a;", ";", " ; a"})
    CHECK_THAT(error_of([&] { padded_batch(text, "<pad>"); }), Catch::StartsWith("2: no words in "));
  for (const char* side : {"--source", "--target"}) {
    const char* const words[] = {"xformer-explain masks", side, "a b"};
    CHECK_THAT(error_of([&] { masks(*parse_options(MasksOptions(), 3, words)); }),
               Catch::StartsWith("2: --source without --target"));
  }
}

TEST_CASE("Masks: lines of text are at most 100 columns wide", "[unit]") {
  std::istringstream text(to_text(masks_of("a", "b", "<pad>")));
  for (std::string line; std::getline(text, line);) CHECK(line.size() <= 100);
}

TEST_CASE("Masks: of 20 x 20 cells a causal mask lights 210", "[golden]") {  // 1 + 2 + ... + 20
  std::string words;
  for (int i = 0; i < 20; ++i) words += "w ";
  const Masks masks = masks_of(words, words, "<pad>");
  const auto& cells = rule_of(masks, "Causal alone").uses.front().matrices.front().matrix.values;
  CHECK(cells.size() == 400);
  CHECK(std::accumulate(cells.begin(), cells.end(), 0.0) == 210);
}

// exp(2), exp(1), exp(0) and exp(0) over their sum; 1 / (1 + exp(-1)); four equal scores.
TEST_CASE("Masks: what a fill value does to softmax of 2 1 0.5 -1", "[golden]") {
  const auto close = [](const std::vector<double>& row, const std::vector<double>& expected) {
    for (size_t j = 0; j < expected.size(); ++j) CHECK(row.at(j) == Approx(expected[j]).margin(1e-6));
  };
  const Masks masks = masks_of("a", "b", "<pad>");
  REQUIRE(masks.fills.size() == 5);
  for (const MaskFill& fill : masks.fills) {
    INFO(fill.fill);
    if (fill.fill == "-1e-12") {
      close(fill.two_masked, {0.610296, 0.224515, 0.082595, 0.082595});
    } else {
      close(fill.two_masked, {0.731059, 0.268941, 0, 0});
    }
    const double each = fill.fill == "-inf" || fill.fill == "mask" ? 0 : 0.25;
    close(fill.all_masked, {each, each, each, each});
  }
}

// By hand: the tutorial prints it so, with a mask that is True where it fills.
TEST_CASE("Masks: masked_fill fills where the mask is 1, or where it is 0, by its sense", "[golden]") {
  const MaskPolarity polarity = masks_of("a", "b", "<pad>").polarity;
  std::vector<double> where_true, where_false;
  for (const double row : {-1e9, -1e9, 7.0, 1.0, -1e9, -1e9}) where_true.insert(where_true.end(), 4, row);
  for (const double row : {5.0, 6.0, -1e9, -1e9, 2.0, 3.0}) where_false.insert(where_false.end(), 4, row);
  CHECK(polarity.where_true.values == where_true);
  CHECK(polarity.where_false.values == where_false);
}

TEST_CASE("Masks: each place that is named holds what it is said to hold", "[unit]") {
  int places = 0;
  for (const MaskRule& rule : masks_of("a", "b", "<pad>").rules) {
    for (const MaskUse& use : rule.uses) {
      if (use.place.empty()) continue;
      const size_t colon = use.place.find(": ");
      std::stringstream text;
      text << std::ifstream(tests::source_folder() + "/" + use.place.substr(0, colon)).rdbuf();
      INFO(use.place);
      CHECK(text.str().find(use.place.substr(colon + 2)) != std::string::npos);
      ++places;
    }
  }
  CHECK(places == 6);
}

TEST_CASE("Masks: text, JSON, picture and page show the same matrices", "[unit]") {
  const Masks masks = masks_of("Q & A ; <b>", "x ; y", "<pad>");
  const auto json = nlohmann::json::parse(to_json(masks));
  CHECK(json.at("rules").size() == masks.rules.size());
  CHECK(json["rules"][0]["uses"][0]["matrices"][1]["allowed"] ==
        nlohmann::json({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}));
  size_t cells = 8 * masks.fills.size() + 3 * 24 + 6;  // the last: of masked_fill
  for (const MaskRule& rule : masks.rules) {
    CHECK(to_text(masks).find(rule.name + ". ") != std::string::npos);
    for (const MaskUse& use : rule.uses) {
      for (const auto& [title, matrix] : use.matrices) cells += matrix.values.size();
    }
  }
  for (const std::string& page : {to_svg(masks), to_html(masks)}) {
    size_t count = 0;
    for (size_t at = page.find("→"); at != std::string::npos; at = page.find("→", at + 1)) ++count;
    CHECK(count == cells);  // a tooltip for each
    CHECK(page.find("Q & A") == std::string::npos);
    CHECK(page.find("<b>") == std::string::npos);
  }
}

TEST_CASE("Masks: what makes no batch is refused in words", "[unit]") {
  CHECK(error_of([] { masks_of("a ; b", "x", "<pad>"); }) ==
        "2: 2 source sentences and 1 target sentence; give as many of both, separated by ';'");
  CHECK(error_of([] { masks_of(" ", "x", "<pad>"); }).starts_with("2: no words in ' '"));
  CHECK(error_of([] { masks_of("1 0 4", "1", "0"); }).starts_with("2: '1 0 4': padding (0) may stand"));
}

}  // namespace
}  // namespace xf::tools::explain
