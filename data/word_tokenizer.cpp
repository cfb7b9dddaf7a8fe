#include "data/word_tokenizer.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

constexpr std::string_view kMark = "\u2581";

// Break iterators have state and are dear to make: one per thread.
icu::BreakIterator& word_breaks() {
  thread_local const std::unique_ptr<icu::BreakIterator> breaks = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> made(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status))
      fail(ErrorKind::failure, "tokenizer: ICU word boundaries: {}", u_errorName(status));
    return made;
  }();
  return *breaks;
}

std::string spaces_for_marks(std::string_view text) {
  std::string result;
  while (true) {
    const size_t at = text.find(kMark);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += ' ';
    text.remove_prefix(at + kMark.size());
  }
}

class WordTokenizer : public Tokenizer {
 public:
  WordTokenizer(std::vector<std::string> pieces, const std::string& name, const WordSpecials& specials)
      : pieces_(std::move(pieces)) {
    ids_.reserve(pieces_.size());
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const auto [at, is_new] = ids_.emplace(pieces_[i], static_cast<int32_t>(i));
      if (!is_new) {
        fail(ErrorKind::data, "{}:{}: token '{}' is there already, on line {}; every token needs one id",
             name, i + 1, pieces_[i], at->second + 1);
      }
    }
    unk_ = find({specials.unk, "<unk>", "<UNK>", "[UNK]"});
    pad_ = find({specials.pad, "<pad>", "<PAD>", "[PAD]", "<blank>"});
    bos_ = find({specials.bos, "<s>", "<sos>", "<bos>", "<SOS>", "<BOS>"});
    eos_ = find({specials.eos, "</s>", "<eos>", "<EOS>"});
    if (unk_ < 0)
      fail(ErrorKind::data, "{}: has no '{}'; a word list needs an unknown token", name, specials.unk);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for (const std::string& word : split_words(text)) {
      const auto found = ids_.find(word);
      ids.push_back(found == ids_.end() ? unk_ : found->second);
    }
    return ids;
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<std::string> words;
    for (const int32_t id : ids) {
      if (id == unk_) {
        words.push_back(std::string(kMark) + pieces_[static_cast<size_t>(unk_)]);
      } else if (id != pad_ && id != bos_ && id != eos_) {
        words.push_back(piece(id));
      }
    }
    return join_words(words);
  }

  std::string piece(int32_t id) const override {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
    return pieces_[static_cast<size_t>(id)];
  }
  int32_t size() const override { return static_cast<int32_t>(pieces_.size()); }
  int32_t unk_id() const override { return unk_; }
  int32_t pad_id() const override { return pad_; }
  int32_t bos_id() const override { return bos_; }
  int32_t eos_id() const override { return eos_; }
  const char* extension() const override { return ".txt"; }
  std::string serialize() const override {
    std::string bytes;
    for (const std::string& piece : pieces_) bytes += piece + '\n';
    return bytes;
  }

 private:
  int32_t find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = ids_.find(std::string(name)); found != ids_.end()) return found->second;
    }
    return -1;
  }

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t> ids_;
  int32_t unk_ = -1, pad_ = -1, bos_ = -1, eos_ = -1;
};

void check_order(const WordSpecials& specials) {
  std::vector<std::string> names = {specials.unk, specials.pad, specials.bos, specials.eos};
  std::vector<std::string> order = specials.order;
  std::sort(names.begin(), names.end());
  std::sort(order.begin(), order.end());
  const bool distinct = std::adjacent_find(names.begin(), names.end()) == names.end();
  if (names != order || !distinct || names.front().empty()) {
    fail(ErrorKind::usage,
         "vocabulary: the special tokens are {}, but their order is given as {}; name each once",
         fmt::join(names, " "), fmt::join(specials.order, " "));
  }
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> tokens;
  if (text.empty()) return tokens;
  UErrorCode status = U_ZERO_ERROR;
  UText view = UTEXT_INITIALIZER;
  utext_openUTF8(&view, text.data(), static_cast<int64_t>(text.size()), &status);
  icu::BreakIterator& breaks = word_breaks();
  breaks.setText(&view, status);
  if (U_FAILURE(status)) fail(ErrorKind::failure, "tokenizer: ICU word boundaries: {}", u_errorName(status));
  size_t spaces = 1;  // not yet written; the first is the one that decoding drops
  const auto write_spaces = [&](size_t count) { tokens.insert(tokens.end(), count, std::string(kMark)); };
  for (int32_t begin = breaks.first(), end = breaks.next(); end != icu::BreakIterator::DONE;
       begin = end, end = breaks.next()) {
    std::string_view segment = text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    const size_t leading = std::min(segment.find_first_not_of(' '), segment.size());
    spaces += leading;
    segment.remove_prefix(leading);
    if (segment.empty()) continue;
    if (spaces > 1) write_spaces(spaces - 1);
    tokens.push_back(spaces > 0 ? fmt::format("{}{}", kMark, segment) : std::string(segment));
    spaces = 0;
  }
  write_spaces(spaces);
  utext_close(&view);
  return tokens;
}

std::string join_words(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  text = spaces_for_marks(text);
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::unique_ptr<Tokenizer> build_word_tokenizer(const std::vector<const std::vector<std::string>*>& texts,
                                                const WordVocabularyOptions& options) {
  check_order(options.specials);
  std::unordered_map<std::string, int64_t> counts;
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      for (const std::string& word : split_words(line)) ++counts[word];
    }
  }
  // A special's own name and a word that holds a line end (a CR inside a line) cannot stand in a word list.
  for (const std::string& special : options.specials.order) counts.erase(special);
  std::vector<std::pair<std::string, int64_t>> words;
  for (auto& [word, count] : counts) {
    if (count >= options.min_frequency && word.find_first_of("\r\n") == std::string::npos)
      words.emplace_back(word, count);
  }
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : a.first < b.first;  // UTF-8 sorts like its code points
  });
  std::vector<std::string> pieces = options.specials.order;
  for (auto& [word, count] : words) pieces.push_back(word);
  const auto limit = static_cast<size_t>(options.max_size);
  if (limit > 0 && pieces.size() > limit) pieces.resize(std::max(limit, options.specials.order.size()));
  return std::make_unique<WordTokenizer>(std::move(pieces), "vocabulary", options.specials);
}

std::unique_ptr<Tokenizer> make_word_tokenizer(const std::string& bytes, const std::string& name,
                                               const WordSpecials& specials) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string piece = bytes.substr(begin, end - begin);
    if (piece.ends_with('\r')) piece.pop_back();
    begin = end + 1;
    const size_t line = pieces.size() + 1;
    if (first_invalid_utf8(piece)) {
      fail(ErrorKind::data, "{}:{}: neither a SentencePiece model nor a word list in UTF-8", name, line);
    }
    if (piece.empty())
      fail(ErrorKind::data, "{}:{}: empty token; a word list has one token per line", name, line);
    pieces.push_back(std::move(piece));
  }
  return std::make_unique<WordTokenizer>(std::move(pieces), name, specials);
}

}  // namespace xf::data
