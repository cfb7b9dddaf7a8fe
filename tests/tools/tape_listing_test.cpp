// What xformer-explain tape shows of the micro-model's step.
#include "tools/explain/tape_listing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace xf::tools::explain {
namespace {

double norm(const Tensor& tensor) {
  double sum = 0;
  for (const float x : tensor.to_vector<float>()) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

TEST_CASE("Explain tape: the micro-model's nodes are its blocks, in the order of the paper", "[unit]") {
  const TapeListing listing = list_tape(TrainingPair(DType::f32));
  std::vector<std::string> names;
  for (const TapeNode& node : listing.nodes) names.push_back(node.name);
  const std::string e = "encoder.layers.0.", d = "decoder.layers.0.";
  CHECK(names == std::vector<std::string>{"source_embedding", e + "self_attention", e + "self_attention.norm",
                                          e + "feed_forward", e + "feed_forward.norm", "decoder.cross_kv",
                                          "target_embedding", d + "self_attention", d + "self_attention.norm",
                                          d + "cross_attention", d + "cross_attention.norm",
                                          d + "feed_forward", d + "feed_forward.norm", "output"});
  // The cross-attention reads the decoder's state and, as a view of cross_kv, keys and values of
  // five source tokens.
  const TapeNode& cross = listing.nodes[9];
  REQUIRE(cross.reads.size() == 2);
  CHECK(cross.reads[0].node == 8);
  CHECK(cross.reads[1].node == 5);
  CHECK(cross.reads[1].shape == Shape{5, 16});
}

TEST_CASE("Explain tape: memory rises forward and falls to nothing backward", "[unit]") {
  const TapeListing listing = list_tape(TrainingPair(DType::f32));
  const auto& nodes = listing.nodes;
  CHECK(std::ranges::is_sorted(nodes, std::ranges::less_equal(), &TapeNode::recorded));
  for (const TapeNode& node : nodes) {
    CHECK(node.ran);
    CHECK(node.after <= node.before);
  }
  CHECK(nodes.back().before <= nodes.back().recorded);
  CHECK(nodes.front().after == 0);
}

TEST_CASE("Explain tape: the gradient at an embedding is its table's over sqrt(D)", "[unit]") {
  // EM2: a table row's gradient is sqrt(D) times that of the one token that read it; no id occurs
  // twice.
  const TrainingPair pair(DType::f32);
  const TapeListing listing = list_tape(pair);
  for (const auto& [node, name] : {std::pair{0, "source_embedding"}, {6, "target_embedding"}}) {
    const double table = norm(pair.store().find(std::string(name) + ".weight").gradient);
    CHECK(listing.nodes.at(static_cast<size_t>(node)).gradient ==
          Approx(table / std::sqrt(8.0)).epsilon(1e-5));
  }
  CHECK(listing.loss == Approx(pair.loss()).epsilon(1e-5));
}

TEST_CASE("Explain tape: text, JSON and SVG show every node", "[unit]") {
  const TapeListing listing = list_tape(TrainingPair(DType::f32));
  const auto json = nlohmann::json::parse(to_json(listing));
  const std::string text = to_text(listing), svg = to_svg(listing);
  REQUIRE(json.at("nodes").size() == listing.nodes.size());
  for (size_t i = 0; i < listing.nodes.size(); ++i) {
    CHECK(json.at("nodes")[i].at("bytes_after") == listing.nodes[i].after);
    CHECK(text.find(listing.nodes[i].name + " ") != std::string::npos);
    CHECK(svg.find(listing.nodes[i].name) != std::string::npos);
  }
  CHECK(text.find("13  output") < text.find("0  source_embedding"));  // as backward runs them
}

}  // namespace
}  // namespace xf::tools::explain
