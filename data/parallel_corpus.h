// Two text files, or columns, line by line translations of each other, to pairs of id sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/paired_lines.h"
#include "data/prepared_pairs.h"
#include "data/tokenizer.h"

namespace xf::data {

// What happens to a line before it is encoded, in training and in translation alike; stored with
// the model.
struct TextPipeline {
  bool lowercase = false;
  // Normalisation form C, then lower-case if asked (and form C again, which lower-casing can
  // break). Empty for a line of which nothing shows (is_blank).
  std::string prepare(std::string_view text) const;
  // Whether that changes more than case, so that a score of it is marked (mark_composed).
  bool composes(std::string_view text) const;
};

// A corpus is one text, or several one behind the other, whose lines are then numbered through.
struct TextPart {
  TextFiles files;
  int64_t lines = 0;
};

// Prepared lines of both sides; line i of one translates line i of the other, or has it for its
// class. What a language model learns has a target side alone.
struct ParallelText {
  std::vector<TextPart> parts;
  std::vector<std::string> source, target;
  int64_t composed = 0;       // target lines that were in another normalisation form than C
  std::string paths() const;  // for messages
};

// "a.en, a.de" of a text; of several with a word between them.
std::string paths_of(const std::vector<TextPart>& parts);

// Error data as of PairedLines.
ParallelText read_text(TextKind kind, const std::vector<TextFiles>& texts, const TextPipeline& pipeline);

// What is done to the next pair of lines before it is encoded.
void prepare(TextKind kind, const TextPipeline& pipeline, std::string& source, std::string& target);

// Sequences of ids, end to end in one array; or one side of prepared pairs.
class Sequences {
 public:
  Sequences() = default;
  Sequences(std::shared_ptr<const PreparedPairs> prepared, Side side)
      : prepared_(std::move(prepared)), side_(side) {}

  void push_back(std::span<const int32_t> ids);  // to those in an array
  int64_t size() const { return prepared_ ? prepared_->size() : static_cast<int64_t>(offsets_.size()) - 1; }
  int64_t length(int64_t i) const {
    return prepared_ ? prepared_->length(i, side_) : offsets_[i + 1] - offsets_[i];
  }
  std::vector<int32_t> operator[](int64_t i) const;

 private:
  std::vector<int32_t> ids_;
  std::vector<int64_t> offsets_{0};  // [size + 1]
  std::shared_ptr<const PreparedPairs> prepared_;
  Side side_ = Side::source;
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

// The kept pairs, without <s> and </s>.
struct ParallelCorpus {
  std::vector<TextPart> parts;
  Sequences source, target;    // no source where the text has none
  bool targets_end = true;     // by </s>, which batches add; classes do not
  std::vector<int64_t> lines;  // [size] the number of each pair's line, from 1; of prepared pairs
                               // none
  std::shared_ptr<const PreparedPairs> prepared;
  CorpusStatistics statistics;

  int64_t size() const { return target.size(); }
  bool has_source() const { return source.size() > 0; }
  int64_t line(int64_t i) const { return prepared ? prepared->line(i) : lines[static_cast<size_t>(i)]; }
  // Of each part, where its pairs end.
  std::vector<int64_t> ends_of_parts() const;
  // "a.en, a.de: line 12", for messages.
  std::string place(int64_t i) const;
};

// Some lines of a text as ids, before any is left out; no source where the text has none.
struct EncodedLines {
  std::vector<std::vector<int32_t>> source, target;
};

// How many lines a thread encodes at a time.
inline constexpr int64_t kLinesPerPiece = 256;
inline size_t number_of_pieces(int64_t lines) {
  return static_cast<size_t>((lines + kLinesPerPiece - 1) / kLinesPerPiece);
}

// Pairs of lines to pairs of ids: empty ones and long ones are left out, and what was done is
// counted.
class CorpusEncoder {
 public:
  // Gets each pair that is kept, in order, with the number of its line.
  using Keep =
      std::function<void(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line)>;

  CorpusEncoder(const Tokenizer& source, const Tokenizer& target, const LengthFilter& filter, Keep keep);

  // Of a piece of prepared lines, [piece, piece + 1) times kLinesPerPiece; on any thread.
  EncodedLines encode(std::span<const std::string> source, std::span<const std::string> target,
                      int64_t piece) const;
  // The next lines of the text.
  void keep(EncodedLines& lines);

  // Error data if no pair was kept; `paths` for the message.
  const CorpusStatistics& statistics(const std::string& paths) const;

 private:
  void keep_pair(std::vector<int32_t>& source, std::vector<int32_t>& target, bool has_source);

  const Tokenizer &source_tokenizer_, &target_tokenizer_;
  LengthFilter filter_;
  Keep keep_;
  CorpusStatistics statistics_;
  bool has_source_ = false;
};

// By as many threads as there are (core/parallel.h): the pairs do not depend on it. Error data if
// no pair is kept.
ParallelCorpus encode_corpus(const ParallelText& text, const Tokenizer& source_tokenizer,
                             const Tokenizer& target_tokenizer, const LengthFilter& filter);

}  // namespace xf::data
