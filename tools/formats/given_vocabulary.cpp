#include "tools/formats/given_vocabulary.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "data/text_file.h"
#include "data/word_tokenizer.h"
#include "tools/formats/list_format.h"

namespace xf::tools {
namespace {

using Words = std::vector<std::string>;

constexpr const char kPiecesTag = 0x0A;  // which a SentencePiece model begins with
constexpr std::string_view kHeader = "#words ", kMark = "\u2581";

bool has_header(std::string_view bytes) {
  if (bytes.starts_with(data::kByteOrderMark)) bytes.remove_prefix(data::kByteOrderMark.size());
  return bytes.starts_with(kHeader);
}

// A list of ours by ICU's words, which has no first line that says so. An earlier version's words
// may have spaces in them.
bool is_of_icu(std::string_view bytes, const std::string& path) {
  const Words ours = data::WordSpecials().order, words = words_of(bytes, ListFormat::words, path);
  return words.size() > ours.size() &&
         std::ranges::equal(ours, Words(words.begin(), words.begin() + std::ssize(ours))) &&
         std::ranges::any_of(words, [](const std::string& word) { return word.starts_with(kMark); });
}

enum class SpecialToken { unk, pad, bos, eos };

// Of each special token the first is written where none of them is there.
const std::vector<Words>& special_tokens() {
  static const std::vector<Words> names = {{"<unk>", "<UNK>", "[UNK]"},
                                           {"<pad>", "<PAD>", "[PAD]", "<blank>"},
                                           {"<s>", "<sos>", "<bos>", "<SOS>", "<BOS>"},
                                           {"</s>", "<eos>", "<EOS>"}};
  return names;
}

// That the list has none of, in the given order.
Words missing_specials(const Words& words, std::initializer_list<SpecialToken> order) {
  Words missing;
  for (const SpecialToken special : order) {
    const Words& names = special_tokens().at(static_cast<size_t>(special));
    const auto is_there = [&](const std::string& name) {
      return std::ranges::find(words, name) != words.end();
    };
    if (std::ranges::none_of(names, is_there)) missing.push_back(names.front());
  }
  return missing;
}

// fairseq writes the special tokens to no dict.txt, and counts them from 0 in this order.
Words with_fairseq_specials(const Words& words) {
  Words all =
      missing_specials(words, {SpecialToken::bos, SpecialToken::pad, SpecialToken::eos, SpecialToken::unk});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

void refuse_tokenizer_json(const std::string& bytes, const std::string& path) {
  if (!bytes.starts_with('{') && bytes.find("\"model\"") == std::string::npos) return;
  if (bytes.find("\"pre_tokenizer\"") == std::string::npos) return;
  fail(ErrorKind::data,
       "{}: a tokenizer.json of Hugging Face, whose rules are not those of this program; "
       "give the SentencePiece model that it was made of (spiece.model, "
       "sentencepiece.bpe.model, source.spm), or leave --vocabs out",
       path);
}

Words read_words(const std::string& bytes, const std::string& path) {
  const ListFormat format = list_format(bytes, path);
  if (format == ListFormat::json) refuse_tokenizer_json(bytes, path);
  const Words words = words_of(bytes, format, path);
  refuse_foreign_pieces(words, path);
  return format == ListFormat::counts ? with_fairseq_specials(words) : words;
}

// As the list is written, so that its lines are named by their numbers.
void check_words(const Words& words, const std::string& path) {
  std::map<std::string_view, size_t> lines;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].find_first_of("\r\n") != std::string::npos)
      fail(ErrorKind::data, "{}: entry {} contains a line break, which no word can have", path, i);
    const auto [at, is_new] = lines.emplace(words[i], i);
    if (!is_new)
      fail(ErrorKind::data, "{}:{}: '{}' is there already, on line {}; every word needs one id", path, i + 1,
           words[i], at->second + 1);
  }
}

}  // namespace

std::shared_ptr<const data::Tokenizer> parse_given_vocabulary(std::string bytes, const std::string& path,
                                                              const std::string& rules) {
  if (bytes.empty() || bytes.front() == kPiecesTag || has_header(bytes) ||
      (rules != "character" && is_of_icu(bytes, path)))
    return data::make_tokenizer(std::move(bytes), path);
  Words words = read_words(bytes, path);
  check_words(words, path);
  const bool has_rules = rules == "icu" || rules == "character";
  const std::string by = has_rules ? rules : "whitespace";
  for (std::string& special :
       missing_specials(words, {SpecialToken::unk, SpecialToken::pad, SpecialToken::bos, SpecialToken::eos}))
    words.push_back(std::move(special));
  std::string list = fmt::format("{}{}\n", kHeader, by);
  for (const std::string& word : words) list += word + '\n';
  return data::make_word_tokenizer(list, path);
}

std::shared_ptr<const data::Tokenizer> read_given_vocabulary(const std::string& path,
                                                             const std::string& rules) {
  return parse_given_vocabulary(read_file(path), path, rules);
}

}  // namespace xf::tools
