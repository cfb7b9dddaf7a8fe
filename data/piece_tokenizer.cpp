#include "data/piece_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {

namespace {

constexpr std::string_view kMark = "\u2581";

// The piece as it stands between spaces, on a line. Words by added rules can be spaces themselves,
// and pieces that a user has defined can have line ends.
std::string written(const std::string& piece) {
  std::string text;
  for (const char c : piece) {
    const bool parts = c == ' ' || c == '\n' || c == '\r';
    parts ? text += kMark : text += c;
  }
  return text;
}

class PieceTokenizer : public Tokenizer {
 public:
  PieceTokenizer(std::shared_ptr<const Tokenizer> base, bool encodes, bool decodes)
      : Tokenizer(base->special_ids()), base_(std::move(base)), encodes_(encodes), decodes_(decodes) {
    for (int32_t id = 0; encodes_ && id < base_->size(); ++id) ids_.emplace(written(base_->piece(id)), id);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    if (!encodes_) return base_->encode(text);
    std::vector<int32_t> ids;
    for (const std::string& word : cut(text)) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? unk_id() : found->second);
    }
    return ids;
  }
  std::vector<std::string> cut(std::string_view text) const override {
    if (!encodes_) return base_->cut(text);
    std::vector<std::string> words;
    for (const std::string_view word : split_on_ascii_space(text)) {
      if (ids_.contains(word)) {
        words.emplace_back(word);
      } else {  // no piece has this tab or line separator, so it stands between pieces
        const std::string parted = with_plain_spaces(word);
        for (const std::string_view part : split_on_ascii_space(parted)) words.emplace_back(part);
      }
    }
    return words;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    if (!decodes_) return base_->decode(ids);
    std::vector<std::string> pieces;
    for (const int32_t id : ids) pieces.push_back(written(piece(id)));
    return fmt::format("{}", fmt::join(pieces, " "));
  }

  std::string piece(int32_t id) const override { return base_->piece(id); }
  int32_t size() const override { return base_->size(); }
  std::vector<std::string> tags() const override {
    return encodes_ ? std::vector<std::string>{} : base_->tags();
  }
  bool lowercases() const override { return base_->lowercases(); }
  std::string serialize() const override { return base_->serialize(); }
  const char* extension() const override { return base_->extension(); }

 private:
  std::shared_ptr<const Tokenizer> base_;
  bool encodes_, decodes_;
  std::map<std::string, int32_t, std::less<>> ids_;  // of every piece
};

}  // namespace

std::shared_ptr<const Tokenizer> piece_tokenizer(std::shared_ptr<const Tokenizer> base, bool encodes,
                                                 bool decodes) {
  return std::make_shared<PieceTokenizer>(std::move(base), encodes, decodes);
}

}  // namespace xf::data
