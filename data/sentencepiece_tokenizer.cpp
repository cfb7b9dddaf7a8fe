#include "data/sentencepiece_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "data/language_tags.h"
#include "data/sentencepiece_ids.h"
#include "data/sentencepiece_processor.h"
#include "data/tokenizer.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

// Text is cut by a SentencePiece model, and a list says which ids the pieces have
// (data/sentencepiece_ids.h).

constexpr std::string_view kSpace = "\u2581";

// Spaces for SentencePiece's marks of them, which it leaves in pieces that it does not know, and
// none around the text.
std::string plain_text(std::string text) {
  replace_all(text, kSpace, " ");
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// From the bytes of a model and the list in it. A tag in front of a text (data/language_tags.h) is
// one token where the list has it and the model does not cut it out of text; tags that the list
// lacks are <unk> where it has others. Error data for an entry that stands twice, and for a special
// token that the list lacks; `name` stands for the file.
class ListedTokenizer : public Tokenizer {
 public:
  ListedTokenizer(const std::string& bytes, PieceList list, const std::string& name)
      : model_(without_cut_tags(bytes), name), bytes_(bytes), pieces_(std::move(list.pieces)) {
    for (int32_t id = 0; id < size(); ++id) {
      if (!ids_.emplace(pieces_[static_cast<size_t>(id)], id).second)
        fail(ErrorKind::data, "{}: the list of pieces that belongs to it has '{}' twice", name, piece(id));
    }
    special_.unk = special(list.specials.unk, name);
    special_.bos = special(list.specials.bos, name);
    special_.eos = special(list.specials.eos, name);
    special_.pad = special(list.specials.pad, name);
    if (special_.unk < 0)
      fail(ErrorKind::data, "{}: the list of pieces that belongs to it has no <unk>", name);
    for (const int32_t id : {special_.unk, special_.bos, special_.eos, special_.pad}) {
      if (id >= 0) ids_.erase(piece(id));  // no text is one of them
    }
    find_tags();
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    if (!tags_.empty()) text = behind_tags(text, ids);
    for (const std::string& piece : model_.pieces(text)) {
      const auto found = ids_.find(piece);
      ids.push_back(found == ids_.end() ? special_.unk : found->second);
    }
    return ids;
  }

  std::vector<std::string> cut(std::string_view text) const override {
    std::vector<int32_t> ids;
    if (!tags_.empty()) text = behind_tags(text, ids);
    std::vector<std::string> pieces;
    for (const int32_t id : ids) pieces.push_back(piece(id));
    std::ranges::move(model_.pieces(text), std::back_inserter(pieces));
    return pieces;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<std::string> known;
    for (const int32_t id : ids) {
      if (id == special_.unk) {
        // A model may call its unknown piece otherwise than its settings do: then it has none.
        known.push_back(model_->unk_id() < 0 ? piece(id) : model_->IdToPiece(model_->unk_id()));
      } else if (id != special_.bos && id != special_.eos && id != special_.pad) {
        known.push_back(piece(id));
      }
    }
    std::string text;
    model_.check(model_->Decode(known, &text));
    return plain_text(on_one_line(std::move(text)));
  }

  std::string piece(int32_t id) const override {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
    return pieces_[static_cast<size_t>(id)];
  }
  int32_t size() const override { return static_cast<int32_t>(pieces_.size()); }
  std::string serialize() const override { return bytes_; }
  const char* extension() const override { return ".spm"; }
  std::vector<std::string> tags() const override {
    std::vector<std::string> tags;
    for (const auto& [tag, id] : tags_) tags.push_back(tag);
    return tags;
  }

 private:
  int32_t special(const std::string& piece, const std::string& name) const {
    if (piece.empty()) return -1;
    const auto found = ids_.find(piece);
    if (found == ids_.end())
      fail(ErrorKind::data, "{}: the list of pieces that belongs to it has no {}", name, piece);
    return found->second;
  }

  void find_tags() {
    for (int32_t id = 0; id < size(); ++id) {
      const std::string& entry = pieces_[static_cast<size_t>(id)];
      if (!looks_like_tag(entry) || !ids_.contains(entry)) continue;
      const int own = model_->PieceToId(entry);
      if (!model_->IsUnknown(own) && !model_->IsControl(own) && !model_->IsUnused(own)) continue;
      tags_.emplace(entry, id);
      folded_tags_.emplace(lower_case(entry), id);
    }
  }

  // The tags' ids, and the text without them.
  std::string_view behind_tags(std::string_view text, std::vector<int32_t>& ids) const {
    for (std::string_view tag = leading_tag(text); !tag.empty(); tag = leading_tag(text)) {
      const int32_t id = tag_id(tag);
      if (id < 0) return text;
      ids.push_back(id);
      text.remove_prefix(static_cast<size_t>(tag.end() - text.begin()));
    }
    return text;
  }

  // As it stands, or else in lower case, as a model that lower-cases gets it; -1 for text.
  int32_t tag_id(std::string_view tag) const {
    if (const auto found = tags_.find(tag); found != tags_.end()) return found->second;
    if (const auto found = folded_tags_.find(lower_case(tag)); found != folded_tags_.end())
      return found->second;
    const bool is_of_opus = tag.starts_with(">>") && tags_.lower_bound(">>") != tags_.end() &&
                            tags_.lower_bound(">>")->first.starts_with(">>");
    return is_of_opus ? special_.unk : -1;
  }

  SentencePieceModel model_;
  std::string bytes_;
  std::vector<std::string> pieces_;  // by id
  std::unordered_map<std::string, int32_t> ids_;
  std::map<std::string, int32_t, std::less<>> tags_, folded_tags_;
};

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(const std::string& bytes, const std::string& name)
      : model_(bytes, name), bytes_(bytes) {
    special_ = {
        .unk = model_->unk_id(), .pad = model_->pad_id(), .bos = model_->bos_id(), .eos = model_->eos_id()};
  }

  std::vector<int32_t> encode(std::string_view text) const override { return model_.ids(text); }
  std::vector<std::string> cut(std::string_view text) const override { return model_.pieces(text); }
  std::string decode(std::span<const int32_t> ids) const override {
    for (const int32_t id : ids) check_id(id);
    std::string text;
    model_.check(model_->Decode(std::vector<int>(ids.begin(), ids.end()), &text));
    return on_one_line(std::move(text));
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return model_->IdToPiece(id);
  }
  int32_t size() const override { return model_->GetPieceSize(); }
  std::string serialize() const override { return bytes_; }
  const char* extension() const override { return ".spm"; }

 private:
  void check_id(int32_t id) const {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
  }

  SentencePieceModel model_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& bytes, const std::string& name) {
  if (std::optional<PieceList> list = list_of(bytes))
    return std::make_unique<ListedTokenizer>(bytes, *std::move(list), name);
  return std::make_unique<SentencePieceTokenizer>(bytes, name);
}

}  // namespace xf::data
