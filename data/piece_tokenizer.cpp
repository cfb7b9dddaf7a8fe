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

// The piece as it stands between spaces, on a line. Words by added rules can be spaces themselves, and pieces that a user
// has defined can have line ends.
std::string written(const std::string& piece) {
  std::string text;
  for (const char c : piece) {
    const bool parts = c == ' ' || c == '\n' || c == '\r';
    parts ? text += kMark : text += c;
  }
  return text;
}

// What stands between spaces. Other white space, as a no-break space, belongs to pieces.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

class PieceTokenizer : public Tokenizer {
 public:
  PieceTokenizer(std::shared_ptr<const Tokenizer> base, bool encodes, bool decodes)
      : base_(std::move(base)), encodes_(encodes), decodes_(decodes) {
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
    for (std::string& word : words_of(text)) {
      if (ids_.contains(word)) {
        words.push_back(std::move(word));
      } else {  // no piece has this tab or line separator, so it stands between pieces
        std::ranges::move(words_of(with_plain_spaces(word)), std::back_inserter(words));
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
  int32_t unk_id() const override { return base_->unk_id(); }
  int32_t pad_id() const override { return base_->pad_id(); }
  int32_t bos_id() const override { return base_->bos_id(); }
  int32_t eos_id() const override { return base_->eos_id(); }
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
