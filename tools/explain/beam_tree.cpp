#include "tools/explain/beam_tree.h"
#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/explain/page.h"
#include "tools/explain/sentence_pair.h"
#include "tools/explain/traced_sentence.h"

namespace xf::tools::explain {

namespace {

class Watcher : public nn::SearchObserver {
 public:
  Watcher(const data::Tokenizer& vocabulary, BeamTree& tree) : vocabulary_(vocabulary), tree_(tree) {}
  void continued(const nn::Continuation& from) override {
    const auto parent = alive_.find(from.parent);
    tree_.nodes.push_back({.from = from,
                           .piece = vocabulary_.piece(from.id),
                           .parent = parent == alive_.end() ? -1 : parent->second});
    if (from.node >= 0) alive_[from.node] = static_cast<int64_t>(tree_.nodes.size()) - 1;
  }

 private:
  const data::Tokenizer& vocabulary_;
  BeamTree& tree_;
  std::map<int64_t, int64_t> alive_;  // from the search's numbers to the tree's
};

bool is_leaf(const BeamTree::Node& node) {
  return node.from.fate == nn::Fate::ends || node.from.fate == nn::Fate::cut;
}

std::vector<int32_t> ids_to(const BeamTree& tree, int64_t node) {
  std::vector<int32_t> ids;
  for (; node >= 0; node = tree.nodes[static_cast<size_t>(node)].parent)
    ids.push_back(tree.nodes[static_cast<size_t>(node)].from.id);
  return {ids.rbegin(), ids.rend()};
}

// The paths that lead to an end, and the one that leads to the best.
void mark_paths(BeamTree& tree) {
  for (BeamTree::Node& node : tree.nodes) node.dead = true;
  const nn::Hypothesis& best = tree.ranking.front().hypothesis;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!is_leaf(tree.nodes[i])) continue;
    std::vector<int32_t> ids = ids_to(tree, static_cast<int64_t>(i));
    const bool cut = tree.nodes[i].from.fate == nn::Fate::cut;
    if (!cut) ids.pop_back();
    const bool won = cut == best.cut && ids == best.ids;
    for (auto node = static_cast<int64_t>(i); node >= 0;
         node = tree.nodes[static_cast<size_t>(node)].parent) {
      tree.nodes[static_cast<size_t>(node)].dead = false;
      if (won) tree.nodes[static_cast<size_t>(node)].won = true;
    }
  }
}

const char* name_of(nn::Fate fate) {
  switch (fate) {
    case nn::Fate::lives: return "lives";
    case nn::Fate::ends: return "ends";
    case nn::Fate::cut: return "cut";
    case nn::Fate::off_beam: return "off_beam";
    case nn::Fate::late_end: return "late_end";
    case nn::Fate::stopped: return "stopped";
  }
  return "";
}

// Of the last token alone: the path's less its parent's.
double token_log_probability(const BeamTree& tree, const BeamTree::Node& node) {
  const double before =
      node.parent < 0 ? 0 : tree.nodes[static_cast<size_t>(node.parent)].from.log_probability;
  return node.from.log_probability - before;
}

std::string text_of_step(const BeamTree& tree, int64_t tokens) {
  std::string text = fmt::format("\nstep {}\n", tokens);
  std::map<int64_t, std::vector<size_t>> by_parent;  // in the order of their ranks: nodes are
                                                     // numbered so
  for (const size_t i : tree.step(tokens)) by_parent[tree.nodes[i].parent].push_back(i);
  for (const auto& [parent, continuations] : by_parent) {
    text += fmt::format("  {}\n", parent < 0 ? "<s>" : tree.path(parent));
    for (const size_t i : continuations) {
      const BeamTree::Node& node = tree.nodes[i];
      text += fmt::format("    {:>3}. {:<16}{:>9.4f}{:>10.4f}  {}\n", node.from.rank + 1, node.piece,
                          token_log_probability(tree, node), node.from.log_probability,
                          words_for(node.from.fate, tree.search.beam_size));
    }
  }
  return text;
}

}  // namespace

std::vector<size_t> BeamTree::step(int64_t tokens) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].from.tokens == tokens) found.push_back(i);
  }
  return found;
}

std::string BeamTree::path(int64_t node) const {
  std::string text;
  for (; node >= 0; node = nodes[static_cast<size_t>(node)].parent) {
    const std::string& piece = nodes[static_cast<size_t>(node)].piece;
    text = text.empty() ? piece : piece + " " + text;
  }
  return text;
}

std::string words_for(nn::Fate fate, int64_t beam_size) {
  switch (fate) {
    case nn::Fate::lives: return "lives";
    case nn::Fate::ends: return fmt::format("ends: </s> among the first {}", beam_size);
    case nn::Fate::cut: return "cut: at the length limit";
    case nn::Fate::off_beam: return fmt::format("off the beam: {} that go on rank before it", beam_size);
    case nn::Fate::late_end: return fmt::format("dropped: </s> behind the first {}", beam_size);
    case nn::Fate::stopped: return fmt::format("dropped: {} hypotheses have ended", beam_size);
  }
  return "";
}

BeamTree grow_beam_tree(const ModelTranslator& model, Arena& arena, const std::string& line) {
  const data::Vocabularies& vocabularies = model.model->vocabularies;
  const std::vector<int32_t> ids =
      ids_of(*vocabularies.source, model.model->pipeline.prepare(line), *model.model->model);
  warn_of_length(*model.model, ids);
  data::Sequences sources;
  sources.push_back(ids);
  const auto batches =
      data::translation_batches(sources, vocabularies.source->eos_id(), kSourceTokensPerBatch, 1);
  BeamTree tree;
  tree.source = pieces(*vocabularies.source, batches.front().batch.source_ids.to_vector<int32_t>());
  tree.search = with_specials(model.search, *vocabularies.target);
  tree.search.n_best = tree.search.beam_size;
  Watcher watcher(*vocabularies.target, tree);
  const nn::Search search(model.model->translation_model(), arena, tree.search);
  auto results = search.translate(batches.front().batch, {}, &watcher);
  for (nn::Hypothesis& found : results.front()) {
    const auto tokens = static_cast<int64_t>(found.ids.size()) + (found.cut ? 0 : 1);
    const std::string text = vocabularies.target->decode(found.ids);
    tree.ranking.push_back({std::move(found), tokens, text});
  }
  mark_paths(tree);
  return tree;
}

std::string to_text(const BeamTree& tree) {
  std::string text = fmt::format(
      "{}\nbeam {}: in each step all continuations "
      "are ranked by the log-probability of the whole hypothesis\n"
      "(right column; left: the token's alone), whichever hypothesis they continue.\n",
      fmt::join(tree.source, " "), tree.search.beam_size);
  for (int64_t n = 1; n <= tree.steps(); ++n) text += text_of_step(tree, n);
  text += fmt::format("\nranking: score = log p / n^{:g}, n counts </s>{}\n", tree.search.normalize,
                      std::ranges::any_of(tree.ranking, [](const auto& r) { return r.hypothesis.cut; })
                          ? "; what was cut stands behind what ended"
                          : "");
  for (size_t i = 0; i < tree.ranking.size(); ++i) {
    const auto& [hypothesis, tokens, words] = tree.ranking[i];
    text +=
        fmt::format("  {:>2}. {:.4f} / {}^{:g} = {:.4f}  {}{}\n", i + 1, hypothesis.log_probability, tokens,
                    tree.search.normalize, hypothesis.score, words, hypothesis.cut ? "  (cut)" : "");
  }
  return text;
}

std::string to_json(const BeamTree& tree) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array(), ranking = nodes;
  for (const BeamTree::Node& node : tree.nodes) {
    nodes.push_back({{"step", node.from.tokens},
                     {"rank", node.from.rank + 1},
                     {"parent", node.parent},
                     {"token", node.piece},
                     {"id", node.from.id},
                     {"token_log_probability", token_log_probability(tree, node)},
                     {"log_probability", node.from.log_probability},
                     {"fate", name_of(node.from.fate)},
                     {"dead_end", node.dead},
                     {"winner", node.won}});
  }
  for (const auto& [hypothesis, tokens, words] : tree.ranking) {
    ranking.push_back({{"text", words},
                       {"tokens", tokens},
                       {"log_probability", hypothesis.log_probability},
                       {"score", hypothesis.score},
                       {"cut", hypothesis.cut}});
  }
  const nlohmann::ordered_json json = {{"source", tree.source},
                                       {"beam_size", tree.search.beam_size},
                                       {"normalize", tree.search.normalize},
                                       {"continuations", nodes},
                                       {"ranking", ranking}};
  return json_page(json);
}

std::string beam(const BeamOptions& options) {
  options_of(options).require("model");
  options_of(options).require("source");
  TranslationOptions translation = translation_options(options.model, options.compute);
  translation.beam_size = options.beam_size;
  translation.normalize = options.normalize;
  ModelTranslator model(translation);
  const BeamTree tree = grow_beam_tree(model, model.arena, options.source);
  const std::string& format = options.format;
  if (format == "svg") return to_svg(tree);
  if (format == "html") return to_html(tree);
  return format == "json" ? to_json(tree) : to_text(tree);
}

}  // namespace xf::tools::explain
