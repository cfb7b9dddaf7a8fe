// A beam search, watched: every continuation that it weighs and what becomes of it
// (nn/decode/search.h), and how the ended hypotheses are ranked.
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/inference/model_translator.h"

namespace xf::tools::explain {

struct BeamTree {
  struct Node {
    nn::Continuation from;
    std::string piece;
    bool won = false;     // on the path of the best hypothesis
    bool dead = false;    // nothing that lives or ends came of it
    int64_t parent = -1;  // of `nodes`; -1: the root <s>
  };
  struct Ranked {
    nn::Hypothesis hypothesis;
    int64_t tokens;  // n, </s> counted
    std::string text;
  };

  std::vector<std::string> source;  // pieces
  nn::SearchOptions search;
  std::vector<Node> nodes;      // in the order of the search: step by step, best first
  std::vector<Ranked> ranking;  // best first, all that ended or were cut

  // Those of step n, from 1, as indices of nodes.
  std::vector<size_t> step(int64_t tokens) const;
  int64_t steps() const { return nodes.empty() ? 0 : nodes.back().from.tokens; }
  // The tokens of the path to a node, as text.
  std::string path(int64_t node) const;
};

// "lives", "off the beam: 5 that go on rank before it"
std::string words_for(nn::Fate fate, int64_t beam_size);

// `line`: as a user writes it. Error usage for one without tokens or longer than the model reads.
BeamTree grow_beam_tree(const ModelTranslator& model, Arena& arena, const std::string& line);

std::string to_text(const BeamTree& tree);
std::string to_json(const BeamTree& tree);
std::string to_svg(const BeamTree& tree);
std::string to_html(const BeamTree& tree);

// xformer-explain beam
std::string beam(const BeamOptions& options);

}  // namespace xf::tools::explain
