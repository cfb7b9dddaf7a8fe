#include "data/sentencepiece_tokenizer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "data/listed_tokenizer.h"
#include "data/sentencepiece_processor.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

namespace sp = sentencepiece;

using Texts = std::vector<const std::vector<std::string>*>;

constexpr auto kLongestLine = static_cast<size_t>(kLongestBpeLine);
constexpr size_t kSpecials = 4;

// A line's beginning that is short enough: up to a space, and inside a word only where that is too long by itself.
std::string_view first_part(std::string_view line) {
  if (line.size() <= kLongestLine) return line;
  const size_t space = line.rfind(' ', kLongestLine);
  if (space != std::string_view::npos && space > 0) return line.substr(0, space);
  size_t end = kLongestLine;
  while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return line.substr(0, end);
}

// The lines, long ones in parts. BPE looks at words alone, so it makes no difference between which of them a line is cut.
class Lines : public sp::SentenceIterator {
 public:
  explicit Lines(const Texts& texts) : texts_(texts) { find_part(); }
  bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    begin_ += part_.size();
    if (begin_ == line().size()) {
      begin_ = 0;
      ++line_;
    }
    find_part();
  }
  const std::string& value() const override { return part_; }
  sp::util::Status status() const override { return {}; }

 private:
  const std::string& line() const { return (*texts_[text_])[line_]; }
  void find_part() {
    for (; text_ < texts_.size() && line_ == texts_[text_]->size(); ++text_) line_ = 0;
    if (!done()) part_ = first_part(std::string_view(line()).substr(begin_));
  }

  const Texts& texts_;
  size_t text_ = 0, line_ = 0, begin_ = 0;
  std::string part_;
};

bool has_words(const Texts& texts) {
  return std::ranges::any_of(texts, [](const auto* text) {
    return std::ranges::any_of(*text, [](const std::string& line) { return !split_on_space(line).empty(); });
  });
}

// That occur in the text, white space left out.
size_t count_characters(const Texts& texts) {
  std::set<char32_t> characters;
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      for (const char32_t c : to_utf32(line)) {
        if (!is_space(c)) characters.insert(c);
      }
    }
  }
  return characters.size();
}

// The library's own words are those of an assertion.
[[noreturn]] void fail_training(const Texts& texts, const BpeOptions& options, const std::string& why) {
  const size_t characters = count_characters(texts), needed = characters + 1 + kSpecials;
  if (options.character_coverage == 1 && static_cast<size_t>(options.vocab_size) < needed) {
    fail(ErrorKind::usage,
         "subwords: {} pieces cannot hold the text's {} characters, the space and {} special tokens; give "
         "--vocab-size {} or more",
         options.vocab_size, characters, kSpecials, needed);
  }
  fail(ErrorKind::usage, "subwords: cannot learn {} pieces: {}; try another --vocab-size", options.vocab_size,
       why);
}

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(const std::string& bytes, const std::string& name)
      : model_(bytes, name), bytes_(bytes) {}

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int> ids;
    model_.check(model_->Encode(text, &ids));
    return ids;
  }
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
  int32_t unk_id() const override { return model_->unk_id(); }
  int32_t pad_id() const override { return model_->pad_id(); }
  int32_t bos_id() const override { return model_->bos_id(); }
  int32_t eos_id() const override { return model_->eos_id(); }
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

std::string train_bpe(const Texts& texts, const BpeOptions& options) {
  if (!has_words(texts))
    fail(ErrorKind::data, "subwords: there is no text to learn from; give some with words in it");
  Lines lines(texts);
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"hard_vocab_limit", "false"},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"normalization_rule_name", "identity"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"num_threads", "1"},
      {"minloglevel", "3"},  // fatal only: what goes wrong comes back in the status
  };
  std::string bytes;
  const sp::util::Status status = sp::SentencePieceTrainer::Train(settings, &lines, &bytes);
  if (!status.ok()) fail_training(texts, options, status.message());
  return bytes;
}

int64_t lines_cut_by_bpe(const Texts& texts) {
  int64_t count = 0;
  for (const auto* text : texts) {
    count += std::ranges::count_if(*text, [](const std::string& line) { return line.size() > kLongestLine; });
  }
  return count;
}

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& bytes, const std::string& name) {
  if (std::optional<PieceList> list = list_of(bytes))
    return make_listed_tokenizer(bytes, *std::move(list), name);
  return std::make_unique<SentencePieceTokenizer>(bytes, name);
}

}  // namespace xf::data
