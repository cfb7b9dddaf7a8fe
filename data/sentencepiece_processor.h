// SentencePiece's models as its library reads them, checked for what the library itself stumbles
// over.
#pragma once

#include <sentencepiece_processor.h>

#include <string>
#include <string_view>
#include <vector>

#include "data/unicode.h"

namespace xf::data {

// Immutable. `name` stands for the file in error messages.
class SentencePieceModel {
 public:
  // Error data for bytes that are no SentencePiece model.
  SentencePieceModel(const std::string& bytes, std::string name);

  const sentencepiece::SentencePieceProcessor& operator*() const { return processor_; }
  const sentencepiece::SentencePieceProcessor* operator->() const { return &processor_; }

  // The text's ids or pieces, by the library's Encode(). Tabs and line separators are spaces,
  // unless the vocabulary has pieces with them. Byte order marks go, unless the model's
  // normalisation has a rule for them. Of a text that no sentence is as long as, parts are cut
  // apart from each other, where there are spaces: the library's time grows with the square of
  // characters that it does not know, and its memory is 200 times the text. Error data as check()
  // has it.
  std::vector<int> ids(std::string_view text) const;
  std::vector<std::string> pieces(std::string_view text) const;

  // Error data, for damage that loading does not find: pieces that are marked as what they cannot
  // be.
  void check(const sentencepiece::util::Status& status) const;

 private:
  std::string as_read(std::string_view text) const;
  template <typename T>
  std::vector<T> encoded(std::string_view text) const;

  sentencepiece::SentencePieceProcessor processor_;
  std::string name_;
  bool has_separators_ = false;
  ByteOrderMarks marks_ = ByteOrderMarks::dropped;
};

// The text in one line: a piece may be the byte 0x0A.
std::string on_one_line(std::string text);

}  // namespace xf::data
