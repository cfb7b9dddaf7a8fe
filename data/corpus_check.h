// What `xformer-vocab check` and `stats` report about a text, or about two that should be parallel.
// Broken input is counted and named by line here, never an error, so that one run shows everything
// there is to mend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/tokenizer.h"
#include "data/unknown_share.h"

namespace xf::data {

// How often something occurs, and on which lines first (from 1; the first kLinesShown of them).
struct Finding {
  static constexpr int64_t kLinesShown = 5;
  int64_t count = 0;
  std::vector<int64_t> lines;
  void add(int64_t line);
};

struct TextReport {
  std::string path;
  int64_t lines = 0;
  int64_t words = 0;         // between white space; in scripts without, by ICU's dictionaries
  int64_t characters = 0;    // code points
  int64_t longest_line = 0;  // in characters
  // Lines that have them.
  Finding empty, over_long, invalid_utf8, nul, no_break_spaces, separators, zero_width, bidi_controls,
      control_characters, replacements, space_marks;
  int64_t max_length = 0;           // what over_long means, in tokens, or in words without a
                                    // tokenizer
  int64_t tokens = 0, unknown = 0;  // only with a tokenizer
  // Lines that are mostly unknown, and those with the name of a control token for a word; only with
  // a tokenizer.
  Finding unknown_lines, control_tokens;
  bool tokenized = false;
  std::optional<UnknownCount> unknown_count = {};
  bool mostly_unknown() const;  // to the tokenizer
  // Valid UTF-8 without NUL, mostly known, and something is left to train on.
  bool clean() const;
};

struct CorpusReport {
  TextReport source, target;
  Finding columns;     // of one file: lines that have not one tab
  Finding half_empty;  // pairs with text on one side only
  Finding unbalanced;  // pairs of which one side has over kRatio times as many words (and over
                       // kRatio more)
  static constexpr int64_t kRatio = 4;
  int64_t taken = 0;  // pairs that training learns from: with text on both sides, and not over-long
  // Equal line counts or two columns, valid UTF-8 without NUL, mostly known, no half-empty pair,
  // and something is left to train on.
  bool clean() const;
};

struct CheckOptions {
  const Tokenizer* tokenizer = nullptr;  // tokens and unknown rate are counted if given
  TextPipeline pipeline;                 // applied before the tokenizer
  int64_t max_length = 100;              // over-long: more tokens (words if there is no tokenizer)
                                         // than this
};

TextReport check_text(const std::string& path, const CheckOptions& options);
// Two files, or two columns of one.
CorpusReport check_corpus(const std::string& source_path, const std::string& target_path,
                          const CheckOptions& source_options, const CheckOptions& target_options);
CorpusReport check_columns(const std::string& path, const CheckOptions& source_options,
                           const CheckOptions& target_options);

// Lines for a person to read, ending in a newline. That of a pair ends with the verdict; of one
// text it may stand below.
std::string describe(const TextReport& report);
std::string describe(const CorpusReport& report);
// Whether training can begin with it.
std::string verdict(const TextReport& report);

}  // namespace xf::data
