#include "tools/explain/tape_listing.h"
#include "tools/config/program_options.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "kernels/adam.h"
#include "tools/console/progress.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

double sum_of_squares(const Tensor& tensor) {
  const Tensor flat = copy_of(tensor);
  const Tensor sum = Tensor::zeros({1}, DType::f64);
  kernels::sum_of_squares(flat.reshape({flat.numel()}), sum);
  return sum.data<double>()[0];
}

class Watcher : public autograd::TapeObserver {
 public:
  Watcher(const Arena& arena, std::vector<TapeNode>& nodes) : arena_(arena), nodes_(nodes) {}

  void recorded(std::string_view name, const std::vector<nn::Variable>& inputs,
                const std::vector<nn::Variable>& outputs) override {
    TapeNode node;
    node.name = name;
    for (const nn::Variable& input : inputs) node.reads.push_back({maker(input), input.value().shape()});
    for (const nn::Variable& output : outputs) {
      node.makes.push_back(output.value().shape());
      makers_[output.slot().get()] = static_cast<int64_t>(nodes_.size());
    }
    node.recorded = arena_.used_bytes();
    nodes_.push_back(std::move(node));
  }

  void reached(size_t node, const std::vector<Tensor>& gradients) override {
    nodes_[node].ran = true;
    nodes_[node].before = arena_.used_bytes();
    bool root = true;
    double sum = 0;
    for (const Tensor& gradient : gradients) {
      if (!gradient.defined()) continue;
      root = false;
      sum += sum_of_squares(gradient);
    }
    nodes_[node].gradient = root ? 1 : std::sqrt(sum);
  }

  void released(size_t node) override { nodes_[node].after = arena_.used_bytes(); }

 private:
  int64_t maker(const nn::Variable& value) const {
    const autograd::GradientSlot* slot = value.slot().get();
    if (slot && slot->parent) slot = slot->parent.get();
    const auto found = makers_.find(slot);
    return found == makers_.end() ? -1 : found->second;
  }

  const Arena& arena_;
  std::vector<TapeNode>& nodes_;
  std::map<const autograd::GradientSlot*, int64_t> makers_;
};

std::string shapes(const std::vector<Shape>& list) {
  std::string text;
  for (const Shape& shape : list) text += (text.empty() ? "" : " ") + shape.to_string();
  return text;
}

std::string reads(const TapeNode& node) {
  std::string text;
  for (const auto& [maker, shape] : node.reads) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", maker < 0 ? "-" : std::to_string(maker),
                        shape.to_string());
  }
  return text.empty() ? "ids" : text;
}

}  // namespace

std::string tape(const TapeOptions& options) {
  const TapeListing listing = list_tape(training_pair(options, DType::f32));
  const std::string& format = options.format;
  if (format == "svg") return to_svg(listing);
  return format == "json" ? to_json(listing) : to_text(listing);
}

TapeListing list_tape(const TrainingPair& pair) {
  TapeListing listing{pair.title(), pair.batch().source_tokens, pair.batch().target_tokens, 0, {}};
  Watcher watcher(pair.arena(), listing.nodes);
  listing.loss = pair.accumulate(&watcher);
  return listing;
}

std::string to_text(const TapeListing& listing) {
  std::string text = fmt::format(
      "{}\n{} source and {} target tokens, loss {:.6g} (their sum), without dropout\n\n"
      "Nodes, last to first, as backward runs them. "
      "Bytes are the arena's in use: when forward had recorded the node,\n"
      "before its closure ran, and when it was gone. gradient: norm of what reached its outputs.\n\n",
      listing.title, listing.source_tokens, listing.target_tokens, listing.loss);
  size_t name = 4, read = 5, made = 5;
  for (const TapeNode& node : listing.nodes) {
    name = std::max(name, node.name.size());
    read = std::max(read, reads(node).size());
    made = std::max(made, shapes(node.makes).size());
  }
  text += fmt::format("{:>4}  {:<{}}  {:<{}}  {:<{}}  {:>12}{:>12}{:>12}{:>12}\n", "node", "name", name,
                      "reads", read, "makes", made, "recorded", "before", "after", "gradient");
  for (size_t i = listing.nodes.size(); i-- > 0;) {
    const TapeNode& node = listing.nodes[i];
    text += fmt::format("{:>4}  {:<{}}  {:<{}}  {:<{}}  {:>12}{:>12}{:>12}{:>12}\n", i, node.name, name,
                        reads(node), read, shapes(node.makes), made, grouped(node.recorded),
                        node.ran ? grouped(node.before) : "-", grouped(node.after),
                        node.ran ? fmt::format("{:.4g}", node.gradient) : "not reached");
  }
  return text;
}

std::string to_json(const TapeListing& listing) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (size_t i = 0; i < listing.nodes.size(); ++i) {
    const TapeNode& node = listing.nodes[i];
    nlohmann::ordered_json object = {{"node", i}, {"name", node.name}};
    object["reads"] = object["makes"] = nlohmann::ordered_json::array();
    for (const auto& [maker, shape] : node.reads) {
      object["reads"].push_back({{"shape", extents_of(shape)}});
      if (maker >= 0) object["reads"].back()["node"] = maker;
    }
    for (const Shape& shape : node.makes) object["makes"].push_back(extents_of(shape));
    object["bytes_recorded"] = node.recorded;
    if (node.ran) object["bytes_before"] = node.before;
    object["bytes_after"] = node.after;
    if (node.ran) object["gradient_norm"] = node.gradient;
    nodes.push_back(std::move(object));
  }
  const nlohmann::ordered_json json = {{"model", listing.title},
                                       {"source_tokens", listing.source_tokens},
                                       {"target_tokens", listing.target_tokens},
                                       {"loss", listing.loss},
                                       {"nodes", nodes}};
  return json_page(json);
}

}  // namespace xf::tools::explain
