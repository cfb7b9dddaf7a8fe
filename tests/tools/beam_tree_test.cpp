// What xformer-explain beam shows, against what xformer-translate says.
#include "tools/explain/beam_tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/tools/random_run.h"

namespace xf::tools::explain {
namespace {

constexpr const char* kLine = "a small dog sees the old horse";

std::vector<GivenOption> with_beam(const std::string& size, const std::string& normalize) {
  return {
      {"beam-size", {size}, "a test"}, {"normalize", {normalize}, "a test"}, {"max-length", {"8"}, "a test"}};
}

TEST_CASE("Explain beam: the winner is what xformer-translate says, and its path is marked", "[unit]") {
  const tests::RandomRun run;
  for (const auto& [size, normalize] : {std::pair{"1", "1"}, {"3", "0"}, {"5", "0.6"}}) {
    ModelTranslator model(run.translating(with_beam(size, normalize)));
    const std::string said =
        model.translator.translate({model.model->pipeline.prepare(kLine)}).front().texts.front();
    const BeamTree tree = grow_beam_tree(model, model.arena, kLine);
    CHECK(tree.ranking.front().text == said);
    std::vector<int32_t> path;
    for (const auto& node : tree.nodes) {
      if (node.won && node.from.fate != nn::Fate::ends) path.push_back(node.from.id);
    }
    CHECK(path == tree.ranking.front().hypothesis.ids);
    CHECK(to_text(tree).find(said) != std::string::npos);
  }
}

TEST_CASE("Explain beam: fates follow from the rules of the search", "[unit]") {
  const tests::RandomRun run;
  ModelTranslator model(run.translating(with_beam("3", "1")));
  const BeamTree tree = grow_beam_tree(model, model.arena, kLine);
  size_t ended = 0;
  for (int64_t n = 1; n <= tree.steps(); ++n) {
    size_t lives = 0;
    double before = INFINITY;
    for (const size_t i : tree.step(n)) {
      const BeamTree::Node& node = tree.nodes[i];
      CHECK(node.from.log_probability <= before);  // best first
      before = node.from.log_probability;
      lives += node.from.fate == nn::Fate::lives;
      ended += node.from.fate == nn::Fate::ends || node.from.fate == nn::Fate::cut;
      CHECK((node.parent < 0) == (n == 1));
      if (node.parent < 0) continue;
      const BeamTree::Node& parent = tree.nodes[static_cast<size_t>(node.parent)];
      CHECK(parent.from.fate == nn::Fate::lives);
      CHECK(parent.from.tokens == n - 1);
      CHECK(node.from.log_probability < parent.from.log_probability);
    }
    CHECK((n == tree.steps() ? lives == 0 : lives >= 1));
    CHECK(lives <= 3);
  }
  CHECK(ended == tree.ranking.size());
}

TEST_CASE("Explain beam: the ranking divides by n^A, and JSON, SVG and HTML hold the tree", "[unit]") {
  const tests::RandomRun run;
  ModelTranslator model(run.translating(with_beam("4", "0.6")));
  const BeamTree tree = grow_beam_tree(model, model.arena, kLine);
  for (const auto& [hypothesis, tokens, text] : tree.ranking) {
    const double power = std::pow(static_cast<double>(tokens), static_cast<double>(0.6f));
    CHECK(hypothesis.score == Approx(hypothesis.log_probability / power));
  }
  const auto json = nlohmann::json::parse(to_json(tree));
  CHECK(json.at("continuations").size() == tree.nodes.size());
  CHECK(json.at("ranking").size() == tree.ranking.size());
  CHECK(to_html(tree).find("<svg") != std::string::npos);
  const std::string svg = to_svg(tree);
  for (const auto& node : tree.nodes) {
    if (node.won) CHECK(svg.find(">" + node.piece + "<") != std::string::npos);
  }
  CHECK_THROWS_AS(grow_beam_tree(model, model.arena, ""), Error);
}

}  // namespace
}  // namespace xf::tools::explain
