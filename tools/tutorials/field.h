// A column of examples to padded ids, with the options of torchtext 0.6's Field
// (torchtext/data/field.py, BSD licence) and its results, so that a tutorial that uses one can be
// followed here. Training does not need it: its batches are packed (data/batches.h).
//
// Options of torchtext that have no counterpart: dtype (ids are 32 bits), tokenizer_language (part
// of `tokenize`) and is_target, which torchtext itself only uses to print a batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/word_tokenizer.h"

namespace xf::data {

using Tokens = std::vector<std::string>;
using IdRows = std::vector<std::vector<int32_t>>;

struct FieldOptions {
  bool sequential = true;  // false: an example is one token, not cut, not padded
  bool use_vocab = true;   // false: tokens are numbers already
  std::optional<std::string> init_token = {}, eos_token = {};
  std::optional<int64_t> fix_length =
      {};  // of every row, init and eos counted; otherwise that of the longest
  std::function<Tokens(Tokens)> preprocessing = {};       // after cutting, lower-casing and stop
                                                          // words
  std::function<IdRows(IdRows)> postprocessing = {};      // after ids are found
  bool lower = false;                                     // after cutting
  std::function<Tokens(std::string_view)> tokenize = {};  // otherwise at white space
  bool include_lengths = false;
  bool batch_first = false;  // false: a column is an example
  std::optional<std::string> pad_token = "<pad>", unk_token = "<unk>";
  bool pad_first = false;
  bool truncate_first = false;                      // over fix_length: drop the beginning, not the
                                                    // end
  std::unordered_set<std::string> stop_words = {};  // left out
};

class Field {
 public:
  explicit Field(FieldOptions options) : options_(std::move(options)) {}

  // An example's tokens.
  Tokens preprocess(std::string_view text) const;

  // From every column that shares the field: unk, pad, init and eos first, then words that occur at
  // least min_frequency times, by descending frequency, ties by code point; max_size counts them
  // without the specials, 0: no limit.
  void build_vocab(const std::vector<const std::vector<Tokens>*>& columns, int64_t min_frequency = 1,
                   int32_t max_size = 0);
  const std::vector<std::string>& vocabulary() const { return words_; }

  struct Padded {
    std::vector<Tokens> rows;  // of equal length, if the field is sequential
    std::vector<int64_t>
        lengths;  // of each without padding, init and eos counted; empty without include_lengths
  };
  // Error usage if fix_length has no room for init and eos, or if rows need a pad_token that there
  // is not.
  Padded pad(const std::vector<Tokens>& examples) const;

  struct Batch {
    std::vector<int32_t> ids;  // [rows, columns]
    int64_t rows = 0,
            columns = 0;           // examples by tokens with batch_first, or else tokens by
                                   // examples; not
                                   // sequential: [B, 1]
    std::vector<int64_t> lengths;  // [B], or empty
  };
  // Error data for a word that is not in a vocabulary without unk, or for a token that is no number
  // without use_vocab.
  Batch numericalise(const Padded& padded) const;

 private:
  int32_t id(const std::string& token) const;

  FieldOptions options_;
  std::vector<std::string> words_;  // by id
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace xf::data
