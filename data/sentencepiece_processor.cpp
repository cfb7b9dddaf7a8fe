#include "data/sentencepiece_processor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/sentencepiece_damage.h"

namespace xf::data {
namespace {

// Whether the model's normalisation makes something else of a character.
bool normalizes(const sentencepiece::SentencePieceProcessor& processor, const std::string& character) {
  std::vector<std::string> pieces;
  if (!processor.Encode("a" + character + "b", &pieces).ok()) return false;
  return std::ranges::none_of(
      pieces, [&](const std::string& piece) { return piece.find(character) != std::string::npos; });
}

}  // namespace

SentencePieceModel::SentencePieceModel(const std::string& bytes, std::string name) : name_(std::move(name)) {
  if (const char* damage = sentencepiece_damage(bytes))
    fail(ErrorKind::data, "{}: damaged: {}; train or copy it again", name_, damage);
  if (!processor_.LoadFromSerializedProto(bytes).ok())
    fail(ErrorKind::data, "{}: not a SentencePiece model, or a truncated one; train or copy it again", name_);
  for (int id = 0; id < processor_.GetPieceSize() && !has_separators_; ++id)
    has_separators_ = std::ranges::any_of(to_utf32(processor_.IdToPiece(id)), is_separator);
  if (normalizes(processor_, "\uFEFF")) marks_ = ByteOrderMarks::kept;
}

std::string SentencePieceModel::as_read(std::string_view text) const {
  return has_separators_ ? std::string(text) : with_plain_spaces(text, marks_);
}

void SentencePieceModel::check(const sentencepiece::util::Status& status) const {
  if (!status.ok()) fail(ErrorKind::data, "{}: damaged: {}; train or copy it again", name_, status.message());
}

std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace xf::data
