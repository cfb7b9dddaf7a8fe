#include "data/sentencepiece_processor.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/sentencepiece_damage.h"

namespace xf::data {
namespace {

constexpr size_t kAtOnce = 65536;  // bytes that the library gets, more than the longest sentence of
                                   // any model

// Where the first part of a longer text ends: at a space, or else between two characters.
size_t end_of_part(std::string_view text) {
  if (text.size() <= kAtOnce) return text.size();
  const size_t space = text.rfind(' ', kAtOnce);
  if (space != std::string_view::npos && space > 0) return space;
  size_t end = kAtOnce;
  while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

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

template <typename T>
std::vector<T> SentencePieceModel::encoded(std::string_view text) const {
  const std::string read = as_read(text);
  std::string_view rest = read;
  std::vector<T> all;
  do {
    const size_t end = end_of_part(rest);
    std::vector<T> part;
    check(processor_.Encode(rest.substr(0, end), &part));
    rest.remove_prefix(std::min(rest.size(), end + (end < rest.size() && rest[end] == ' ' ? 1 : 0)));
    if (rest.empty() && all.empty()) return part;
    std::ranges::move(part, std::back_inserter(all));
  } while (!rest.empty());
  return all;
}

std::vector<int> SentencePieceModel::ids(std::string_view text) const { return encoded<int>(text); }
std::vector<std::string> SentencePieceModel::pieces(std::string_view text) const {
  return encoded<std::string>(text);
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
