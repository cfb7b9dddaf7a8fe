#include "data/word_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/error.h"
#include "data/text_file.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

// The first line of a word list says by which rules text is cut; without one, by ICU's.
constexpr std::string_view kHeader = "#words ";
// A second one may name the special tokens: unk, pad, bos, eos, a tab before each.
constexpr std::string_view kSpecials = "#specials\t";

std::string header(const WordRules& rules) {
  const std::string description = rules.description();
  return description == "icu" ? "" : fmt::format("{}{}\n", kHeader, description);
}

// The line that `bytes` begin with, if it is the header; `bytes` then go on behind it.
std::optional<std::string> take_header(std::string_view& bytes, std::string_view header) {
  if (!bytes.starts_with(header)) return std::nullopt;
  const size_t end = std::min(bytes.find('\n'), bytes.size());
  std::string line(bytes.substr(header.size(), end - header.size()));
  if (line.ends_with('\r')) line.pop_back();
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

WordSpecials named_specials(const std::string& line, const std::string& name) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    names.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (names.size() != 4)
    fail(ErrorKind::data,
         "{}: its line #specials names {} tokens; write unk, pad, bos and eos, a tab before each", name,
         names.size());
  return {.unk = names[0], .pad = names[1], .bos = names[2], .eos = names[3]};
}

class WordTokenizer : public Tokenizer {
 public:
  WordTokenizer(std::vector<std::string> pieces, const std::string& name, const WordSpecials& specials,
                std::shared_ptr<const WordRules> rules)
      : rules_(std::move(rules)), pieces_(std::move(pieces)) {
    ids_.reserve(pieces_.size());
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const auto [at, is_new] = ids_.emplace(pieces_[i], static_cast<int32_t>(i));
      if (!is_new) {
        fail(ErrorKind::data, "{}:{}: token '{}' is there already, on line {}; every token needs one id",
             name, i + 1, pieces_[i], at->second + 1);
      }
    }
    special_ = found_for(specials);
    if (special_.unk < 0)
      fail(ErrorKind::data, "{}: has no '{}'; a word list needs an unknown token", name, specials.unk);
    // Text comes in form C: a word in another one is found by that, too.
    for (int32_t id = 0; id < size(); ++id) {
      if (!is_nfc(piece(id))) ids_.emplace(normalize_nfc(piece(id)), id);
    }
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for (const std::string& word : rules_->split(text)) ids.push_back(id_of(word));
    return ids;
  }
  std::vector<std::string> cut(std::string_view text) const override { return rules_->split(text); }

  std::string decode(std::span<const int32_t> ids) const override { return rules_->join(words_of(ids)); }
  std::string decode_apart(std::span<const int32_t> ids) const override {
    return rules_->apart(words_of(ids));
  }

  std::string piece(int32_t id) const override {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
    return pieces_[static_cast<size_t>(id)];
  }
  int32_t size() const override { return static_cast<int32_t>(pieces_.size()); }
  const char* extension() const override { return ".txt"; }
  bool lowercases() const override { return rules_->lowercases(); }
  std::string serialize() const override {
    std::string bytes = header(*rules_) + specials_header();
    for (const std::string& piece : pieces_) bytes += piece + '\n';
    return bytes;
  }

 private:
  bool is_control(int32_t id) const { return id == special_.pad || id == special_.bos || id == special_.eos; }
  // No word of a text is a control token, whatever it looks like.
  int32_t id_of(const std::string& word) const {
    const auto found = ids_.find(word);
    return found == ids_.end() || is_control(found->second) ? special_.unk : found->second;
  }
  SpecialIds found_for(const WordSpecials& names) const {
    return {.unk = find({names.unk, "<unk>", "<UNK>", "[UNK]"}),
            .pad = find({names.pad, "<pad>", "<PAD>", "[PAD]", "<blank>"}),
            .bos = find({names.bos, "<s>", "<sos>", "<bos>", "<SOS>", "<BOS>"}),
            .eos = find({names.eos, "</s>", "<eos>", "<EOS>"})};
  }
  // Nothing where they are found without.
  std::string specials_header() const {
    if (special_ == found_for({})) return "";
    const auto name = [&](int32_t id) { return id < 0 ? "" : piece(id); };
    return fmt::format("{}{}\t{}\t{}\t{}\n", kSpecials, name(special_.unk), name(special_.pad),
                       name(special_.bos), name(special_.eos));
  }
  std::vector<std::string> words_of(std::span<const int32_t> ids) const {
    std::vector<std::string> words;
    for (const int32_t id : ids) {
      if (id == special_.unk) {
        words.push_back(rules_->shown(piece(id)));
      } else if (!is_control(id)) {
        words.push_back(normalize_nfc(piece(id)));
      }
    }
    return words;
  }

  int32_t find(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const auto found = ids_.find(std::string(name)); found != ids_.end()) return found->second;
    }
    return -1;
  }

  std::shared_ptr<const WordRules> rules_;
  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t> ids_;
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

WordCounts count_words(const std::vector<const std::vector<std::string>*>& texts, const WordRules& rules) {
  WordCounts counts;
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      for (const std::string& word : rules.split(line)) {
        ++counts.times[word];
        ++counts.total;
      }
    }
  }
  return counts;
}

std::vector<std::string> frequent_words(const WordCounts& counts, int64_t min_frequency,
                                        const std::vector<std::string>& except) {
  std::vector<std::pair<std::string, int64_t>> words;
  for (const auto& [word, count] : counts.times) {
    if (count >= min_frequency && std::ranges::find(except, word) == except.end())
      words.emplace_back(word, count);
  }
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : a.first < b.first;  // UTF-8 sorts like its code points
  });
  std::vector<std::string> sorted;
  for (auto& [word, count] : words) sorted.push_back(std::move(word));
  return sorted;
}

std::unique_ptr<Tokenizer> build_word_tokenizer(const WordCounts& counts,
                                                const WordVocabularyOptions& options) {
  check_order(options.specials);
  std::vector<std::string> pieces = options.specials.order;
  for (std::string& word : frequent_words(counts, options.min_frequency, options.specials.order)) {
    // A word with a line end in it (a CR inside a line) cannot stand in a word list.
    if (word.find_first_of("\r\n") == std::string::npos) pieces.push_back(std::move(word));
  }
  const auto limit = static_cast<size_t>(options.max_size);
  if (limit > 0 && pieces.size() > limit) pieces.resize(std::max(limit, options.specials.order.size()));
  return std::make_unique<WordTokenizer>(std::move(pieces), "vocabulary", options.specials, options.rules);
}

std::unique_ptr<Tokenizer> build_word_tokenizer(const std::vector<const std::vector<std::string>*>& texts,
                                                const WordVocabularyOptions& options) {
  return build_word_tokenizer(count_words(texts, *options.rules), options);
}

std::unique_ptr<Tokenizer> make_word_tokenizer(const std::string& bytes, const std::string& name,
                                               const WordSpecials& specials) {
  std::vector<std::string> pieces;
  std::string_view rest = bytes;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  const std::string rules = take_header(rest, kHeader).value_or("icu");
  const auto named = take_header(rest, kSpecials);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string piece(rest.substr(0, end));
    if (piece.ends_with('\r')) piece.pop_back();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t line = pieces.size() + 1;
    if (first_invalid_utf8(piece)) {
      fail(ErrorKind::data, "{}:{}: neither a SentencePiece model nor a word list in UTF-8", name, line);
    }
    if (piece.empty())
      fail(ErrorKind::data, "{}:{}: empty token; a word list has one token per line", name, line);
    // The list that is saved would lose it.
    if (piece.ends_with('\r'))
      fail(ErrorKind::data, "{}:{}: a token ends in a carriage return; remove it", name, line);
    pieces.push_back(std::move(piece));
  }
  return std::make_unique<WordTokenizer>(
      std::move(pieces), name, named ? named_specials(*named, name) : specials, make_word_rules(rules));
}

}  // namespace xf::data
