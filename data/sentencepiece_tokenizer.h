// Byte-pair encoding (Sennrich, Haddow, Birch 2016, arXiv:1508.07909) as the SentencePiece library
// does it (Kudo, Richardson 2018, arXiv:1808.06226).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/tokenizer.h"

namespace xf::data {

// Ids of a model trained here: <unk> 0, <s> 1, </s> 2, <pad> 3.
struct BpeOptions {
  int32_t vocab_size = 10000;       // at most; a small corpus may have fewer different pieces
  double character_coverage = 1.0;  // share of the characters that get a piece of their own
};

inline constexpr int64_t kLongestBpeLine = 4192;  // bytes; the library passes over longer ones
                                                  // without a word

// Time and memory grow with the characters of different words. Those of a script without spaces are
// whole sentences, and so are formulas and other long strings.
inline constexpr int64_t kMostUnspaced = 1'000'000;
struct BpeSample {
  int64_t unspaced = 0;  // characters of such words
  double share = 1;      // of the lines that are learnt from, evenly spread: so many that
                         // kMostUnspaced
                         // are left
};
BpeSample bpe_sample(const std::vector<const std::vector<std::string>*>& texts);

// The trained model's bytes. Deterministic: same lines in the same order, same bytes. Lines are
// taken as they are (the normaliser is the identity), except that runs of spaces count as one.
// Longer ones than kLongestBpeLine are cut between words, or inside one that is as long. All
// characters of the text get a piece, whatever the sample, unless character_coverage says
// otherwise. `waiting` is called every 50 ms meanwhile. Error usage if vocab_size cannot even hold
// the characters; Error data if there is no text. Throws Stopped.
std::string train_bpe(
    const std::vector<const std::vector<std::string>*>& texts, const BpeOptions& options,
    const std::function<void()>& waiting = [] {});

// How many lines it cuts.
int64_t lines_cut_by_bpe(const std::vector<const std::vector<std::string>*>& texts);

// From the bytes of a SentencePiece model of any type, or of one with a list in it
// (data/sentencepiece_ids.h); `name` stands for the file in error messages.
std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& bytes, const std::string& name);

}  // namespace xf::data
