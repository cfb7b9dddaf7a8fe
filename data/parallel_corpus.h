// Two text files, or columns, line by line translations of each other, to pairs of id sequences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer.h"

namespace xf::data {

// What happens to a line before it is encoded, in training and in translation alike; stored with the model.
struct TextPipeline {
  bool lowercase = false;
  // Normalisation form C, then lower-case if asked (and form C again, which lower-casing can break). Empty for a line of
  // nothing but white space, Unicode's included.
  std::string prepare(std::string_view text) const;
};

// Prepared lines of both sides; line i of one translates line i of the other. What a language model learns has a
// target side alone: no source lines, and source_path is empty.
struct ParallelText {
  std::string source_path, target_path;
  std::vector<std::string> source, target;
  std::string paths() const;  // for messages
};

// Error data if the file is missing, empty or not UTF-8.
ParallelText read_target_text(const std::string& path, const TextPipeline& pipeline);

// Error data if a file is missing, empty or not UTF-8, or if their numbers of lines differ (both are named).
ParallelText read_parallel_text(const std::string& source_path, const std::string& target_path,
                                const TextPipeline& pipeline);

// The same from one file, whose lines are SOURCE TAB TARGET: both paths are its own. Error data as of read_columns().
ParallelText read_parallel_columns(const std::string& path, const TextPipeline& pipeline);

// Sequences of ids, end to end in one array.
class Sequences {
 public:
  void push_back(std::span<const int32_t> ids);
  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t length(int64_t i) const { return offsets_[i + 1] - offsets_[i]; }
  int64_t total() const { return offsets_.back(); }
  std::span<const int32_t> operator[](int64_t i) const;

 private:
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_{0};  // [size + 1]
};

// Lengths are in ids, </s> not counted.
struct LengthFilter {
  int64_t max_length = 100;  // 0: no limit
  bool crop = false;         // shorten a side that is too long, instead of dropping the pair
};

struct CorpusStatistics {
  int64_t pairs = 0;          // read
  int64_t kept = 0;           // = pairs - dropped_empty - dropped_long
  int64_t dropped_empty = 0;  // no id on at least one side
  int64_t dropped_long = 0;   // over max_length on at least one side
  int64_t cropped = 0;        // kept, shortened
  struct Side {
    int64_t tokens = 0;   // ids of the kept pairs, </s> not counted
    int64_t unknown = 0;  // of these, <unk>
    int64_t longest = 0;  // ids of the longest kept sentence
    double unknown_rate() const {
      return tokens == 0 ? 0.0 : static_cast<double>(unknown) / static_cast<double>(tokens);
    }
  } source, target;
};

struct ParallelCorpus {
  std::string source_path, target_path;
  Sequences source, target;    // the kept pairs, without <s> and </s>; no source where the text has none
  bool targets_end = true;     // by </s>, which batches add; classes do not
  std::vector<int64_t> lines;  // [size] line number of each pair in its file, from 1
  CorpusStatistics statistics;
  int64_t size() const { return target.size(); }
  bool has_source() const { return source.size() > 0; }
};

// Error data if no pair is kept.
ParallelCorpus encode_corpus(const ParallelText& text, const Tokenizer& source_tokenizer,
                             const Tokenizer& target_tokenizer, const LengthFilter& filter);

}  // namespace xf::data
