// BPE-dropout (Provilkov, Emelianenko, Voita 2020, arXiv:1910.13267): while a word is put together
// from its characters, each merge that is possible is left out with some probability. So a word
// comes in other pieces each time, a model reads more of them than the best ones, and a small
// corpus lasts longer.
#pragma once

#include <string_view>
#include <unordered_map>

#include "core/philox.h"
#include "data/parallel_corpus.h"

namespace xf::data {

class BpeDropout {
 public:
  // rate: of a merge's being left out, in [0, 1]. The tokenizer must outlive this object.
  BpeDropout(const Tokenizer& tokenizer, double rate);
  BpeDropout(BpeDropout&&) = default;

  // Ids as of Tokenizer::encode(), of other pieces. At rate 0 the same, for a vocabulary as
  // train_bpe() makes it.
  std::vector<int32_t> encode(std::string_view text, PhiloxSequence& random) const;

 private:
  void append_word(std::string_view word, PhiloxSequence& random, std::vector<int32_t>& ids) const;
  int32_t id_of(std::string_view piece) const;

  const Tokenizer& tokenizer_;
  uint32_t threshold_;                                 // a merge stays if a random word is not
                                                       // below it
  std::unordered_map<std::string_view, int32_t> ids_;  // views of pieces_
  std::vector<std::string> pieces_;
};

// Of a corpus that was encoded from a text, the same pairs in other pieces, and other ones in each
// epoch: a pure function of the seed and the epoch. A sentence keeps its pieces where they did not
// come about by merging alone (a foreign normalisation, a sentence cut short), and where the new
// ones are more than max_length (0: any number will do).
class DroppedCorpus {
 public:
  // Error usage for a vocabulary by which no sentence is merged, the piece with the lowest id
  // first. All must outlive this object.
  DroppedCorpus(const ParallelText& text, const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                const Tokenizer& target_tokenizer, double rate, int64_t max_length, uint64_t seed);

  ParallelCorpus of_epoch(int64_t epoch) const;

 private:
  struct Side {
    const std::vector<std::string>& lines;
    const Sequences& sequences;
    BpeDropout pieces;
    uint64_t site;             // of its random numbers
    std::vector<char> merged;  // whether a sentence's pieces came about by merging
  };
  Side side(const std::vector<std::string>& lines, const Sequences& sequences, const Tokenizer& tokenizer,
            double rate, uint64_t site) const;
  Sequences of_epoch(const Side& side, int64_t epoch) const;

  const ParallelCorpus& corpus_;
  int64_t max_length_;
  uint64_t seed_;
  std::vector<Side> sides_;  // the source, if there is one, and the target
};

}  // namespace xf::data
