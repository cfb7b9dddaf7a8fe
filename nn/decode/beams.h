// The bookkeeping of a beam search, on the host: which hypotheses live, which have ended.
// The rules: nn/decode/search.h.
//
// All hypotheses of a batch form one forest of prefixes, a tree per sentence with <s> at its root.
// A node is a token that was fed to the decoder, and node n owns row n of the key/value cache. The
// keys that a hypothesis sees are thus the nodes on its path; reordering the beam moves nothing.
// The newest nodes, first_node() and later, are the live hypotheses, sentence by sentence and
// ranked within one.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/decode/search.h"

namespace xf::nn {

class Beams {
 public:
  // source_offsets [B+1] as in PackedBatch, whose sentences end with </s>. `prefixes`: of B
  // sentences, or none.
  Beams(const SearchOptions& options, const std::vector<int32_t>& source_offsets,
        std::vector<std::vector<int32_t>> prefixes, SearchObserver* observer = nullptr);

  bool done() const { return sentences_.empty(); }
  int64_t first_node() const { return first_node_; }
  int64_t nodes() const { return static_cast<int64_t>(nodes_.size()); }
  int64_t live() const { return nodes() - first_node_; }  // R
  int64_t position() const {
    return position_;
  }                                // t: where the live hypotheses' last
                                   // tokens stand
  int64_t longest_source() const;  // Smax, of the sentences that have not
                                   // stopped

  // Of each live hypothesis, [R]: its sentence's place in the batch; the id that its prefix goes on
  // with, -1 if none.
  std::vector<size_t> sentences() const;
  std::vector<int32_t> given() const;
  bool any_given() const;

  // What the decoder reads in this step, one after the other:
  //   ids [R] · positions [R] · lengths [R] · rows [R, t+1] · source lengths [R] · source rows [R,
  //   Smax]
  // (a DecodeStep of nn/translation_model.h).
  void write_step(std::vector<int32_t>& tables) const;

  // Takes the K best continuations of each live hypothesis, [R, K], best first, and forms the next
  // live hypotheses. K >= wanted() unless fewer ids are allowed: one </s> and beam_size others are
  // all that a single hypothesis can contribute, beside those that would repeat an n-gram. Where an
  // id is given, it is the first of the K, and the others are not looked at.
  void advance(const std::vector<double>& log_probabilities, const std::vector<int32_t>& ids, int64_t K);
  int64_t wanted() const { return options_.beam_size + 1 + (options_.no_repeat_ngram > 0 ? position_ : 0); }

  // The ids that live hypothesis r may not go on with, because an n-gram would repeat.
  std::vector<int32_t> repeating(int64_t r) const { return repeats_of(first_node_ + r); }

  std::vector<std::vector<Hypothesis>> results() const;

 private:
  struct Node {
    int32_t id;
    int32_t parent;          // -1 for <s>
    double log_probability;  // of the path
  };
  // A continuation of node `parent` by `id`.
  struct Candidate {
    double log_probability;
    int32_t id, parent;
  };
  struct Ended {
    Candidate last;  // </s>, or the token at the limit
    int64_t tokens;  // n, </s> included
  };
  struct Sentence {
    int64_t index;  // in the batch
    int64_t live;   // hypotheses
    int64_t limit;
    int32_t source_first, source_tokens;
  };

  std::vector<int32_t> path(int64_t node) const;
  std::vector<int32_t> repeats_of(int64_t parent) const;
  int32_t given_to(const Sentence& sentence) const;
  double ranked_by(const Candidate& candidate) const;
  void rank(size_t count);
  void advance(Sentence& sentence);
  std::vector<double> token_log_probabilities(const Candidate& last) const;
  Hypothesis hypothesis(const Ended& ended) const;

  SearchOptions options_;
  std::vector<std::vector<int32_t>> prefixes_;  // per sentence of the batch, or none
  SearchObserver* observer_;
  std::vector<Sentence> sentences_;        // those that have not stopped
  std::vector<std::vector<Ended>> ended_;  // per sentence of the batch
  std::vector<Node> nodes_;
  std::vector<Candidate> candidates_;  // of the sentence in hand
  int64_t first_node_ = 0;
  int64_t position_ = 0;
};

}  // namespace xf::nn
