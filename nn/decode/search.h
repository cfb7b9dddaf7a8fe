// Translation: batched greedy and beam search with a key/value cache. Sutskever et al. 2014,
// arXiv:1409.3215, section 3.2; length normalisation: Wu et al. 2016, arXiv:1609.08144, section 7,
// with n^alpha.
//
// A sentence keeps up to `beam_size` live hypotheses. In each step
//   - their continuations by every allowed token are ranked by log-probability + word_penalty *
//     words, </s> not counted (ties: the smaller id, then the hypothesis that ranked higher in the
//     step before); a token that would repeat n tokens of its hypothesis, n = no_repeat_ngram, is
//     not allowed;
//   - </s> among the first beam_size of the ranking ends a hypothesis; a later </s> is dropped;
//   - the first beam_size others live on.
// The sentence stops once beam_size hypotheses have ended, or when its hypotheses have n = limit
// tokens,
//   limit = min(max_length, floor(max_length_factor * source tokens without </s>) + 10),
// and whatever lives then is cut; n counts </s>. With beam_size 1 this is greedy search.
//   score = (log p + word_penalty * words) / n^normalize
// A translation may be given its beginning (Given::prefixes): each hypothesis begins with these
// tokens, whatever they are, <unk> and repeated n-grams too. They count like others: in n, in log
// p, and for the n-grams that may not repeat. A prefix is not shortened: limit is at least its
// length, so that one of limit tokens is the whole translation, cut.
//
// With `sampling` nothing is searched: the one hypothesis goes on with a token that is drawn
// (nn/sampling_filter.h) from those that are allowed, and its log-probability is the model's own,
// as in a search. What is drawn is a function of the seed, the sentence's number and the model's
// logits.
// Results are ordered by score (ties: the one that ended first, then the one that ranked higher),
// cut hypotheses behind all that ended, because they do not carry the price of their </s>.
//
// Sentences do not see each other, so a translation does not depend on its batch, but for the last
// bits that a matrix product's row owes to the number of rows. A sentence that stops leaves the
// batch.
#pragma once

#include <optional>

#include "nn/sampling_filter.h"
#include "nn/translation_model.h"

namespace xf::nn {

struct SearchOptions {
  int64_t beam_size = 5;
  float normalize = 1;  // alpha; 0: plain log-probabilities
  double max_length_factor = 3;
  int64_t max_length = 256;  // at most Model::kMaxPositions; a model that reads fewer tokens ends
                             // there
  int64_t n_best = 1;        // hypotheses returned, at most beam_size
  // Whether somebody wants to know the scores. If not, greedy search takes the largest logit
  // without adding up the exponentials of all words, and its hypotheses have none: NaN. A beam and
  // sampling need them themselves.
  bool scored = true;
  bool allow_unk = false;
  float word_penalty = 0;                       // above 0: longer translations
  int64_t no_repeat_ngram = 0;                  // 0: any may repeat
  std::optional<SamplingFilter> sampling = {};  // in place of search; beam_size is 1
  uint64_t seed = 1;                            // of the sampling
  // Target ids. <s> and <pad> never come out (unless <s> is </s>); -1: the vocabulary has no such
  // token.
  int32_t bos = -1, eos = -1, unk = -1, pad = -1;
};

struct Hypothesis {
  std::vector<int32_t> ids;  // without </s>
  double log_probability = 0;
  double score = 0;
  bool cut = false;                                  // the length limit came before </s>
  std::vector<double> token_log_probabilities = {};  // of the ids, and of </s> where it was not cut
};

// What becomes of a continuation: of a live hypothesis, by one more token.
enum class Fate {
  lives,     // among the first beam_size that go on
  ends,      // </s>, among the first beam_size of the ranking
  cut,       // at the length limit, where it would live
  off_beam,  // beam_size others that go on rank before it
  late_end,  // </s> behind the first beam_size of the ranking
  stopped,   // beam_size hypotheses have ended: the sentence needs no more
};

struct Continuation {
  int64_t sentence;  // of the batch
  int64_t tokens;    // n of the hypothesis with this token: 1 in the first step
  int64_t rank;      // among the sentence's continuations in this step, from 0
  // Prefixes are numbered as they come to live; a sentence's empty prefix <s> has the sentence's
  // number.
  int64_t parent;
  int64_t node;  // its own number where it lives, else -1
  int32_t id;
  double log_probability;  // of the hypothesis with this token
  Fate fate;
};

// Who watches a search: xformer-explain, a test. It changes nothing about what is found.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  // The beam_size + 1 best continuations of each live hypothesis, or as many as are allowed; step
  // by step, sentence by sentence, best first.
  virtual void continued(const Continuation& continuation) = 0;
};

// What is known of the translations of a batch: a value for each sentence, or none at all.
struct Given {
  std::vector<std::vector<int32_t>> prefixes = {};  // target ids that it begins with, </s> not
                                                    // among them
  std::vector<uint64_t> numbers = {};               // for sampling; else from 0
};

class Search {
 public:
  // Errors: usage for options that make no sense. The model must have its parameters.
  Search(const TranslationModel& model, Arena& arena, const SearchOptions& options);

  // Per sentence of the batch, in its order, up to n_best hypotheses, best first, at least one.
  // Reads the source tensors only. Memory comes from the arena and is back there on return. Errors:
  // diverged when the model's log-probabilities are not finite; usage for a prefix that is longer
  // than the model's positions or holds </s>. `observer`: null for nobody, at the cost of a
  // comparison per continuation.
  std::vector<std::vector<Hypothesis>> translate(const PackedBatch& batch, const Given& given = {},
                                                 SearchObserver* observer = nullptr) const;

 private:
  void check_given(const PackedBatch& batch, const Given& given) const;

  const TranslationModel& model_;
  Arena& arena_;
  SearchOptions options_;
  std::vector<int32_t> banned_;  // ids that never come out
};

}  // namespace xf::nn
