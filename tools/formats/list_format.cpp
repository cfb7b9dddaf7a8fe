#include "tools/formats/list_format.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/number_text.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tools/formats/settings.h"
#include "tools/formats/yaml.h"

namespace xf::tools {
namespace {

constexpr std::string_view kDigits = "0123456789", kOverwrite = " #fairseq:overwrite",
                           kByteLevelSpace = "\u0120";

struct Entry {
  std::string_view word, number;  // no number: the whole line is a word
};

// Without empty ones at the end.
std::vector<std::string_view> lines_of(std::string_view bytes) {
  if (bytes.starts_with(data::kByteOrderMark)) bytes.remove_prefix(data::kByteOrderMark.size());
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view line = bytes.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

Entry entry_of(std::string_view line) {
  if (line.ends_with(kOverwrite)) line.remove_suffix(kOverwrite.size());
  const size_t at = line.find_last_of(" \t");
  if (at == std::string_view::npos || at == 0 || !number_in<double>(line.substr(at + 1))) return {line, {}};
  return {line.substr(0, at), line.substr(at + 1)};
}

bool is_natural(std::string_view number) {
  return !number.empty() && number.find_first_not_of(kDigits) == std::string_view::npos;
}

// The share of `parts` of which it holds.
template <typename Parts, typename Holds>
double share(const Parts& parts, Holds holds) {
  return parts.empty()
             ? 0
             : static_cast<double>(std::ranges::count_if(parts, holds)) / static_cast<double>(parts.size());
}

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  fail(ErrorKind::data, "{}: {}", path, what);
}

void refuse_binary(std::string_view bytes, const std::string& path) {
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("\x80"))
    refuse(path,
           "a pickle of Python's, as torch.save() writes vocabularies of OpenNMT-py and torchtext; "
           "write its words to a text file, one a line, in the order of their ids");
  if (bytes.starts_with("\x1F\x8B") || bytes.starts_with("\x28\xB5\x2F\xFD"))
    refuse(path, "is packed; unpack it with gunzip or zstd -d");
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    refuse(path, "is UTF-16; iconv -f utf-16 -t utf-8 makes UTF-8 of it");
  if (bytes.find('\0') != bytes.npos)
    refuse(
        path,
        "is not text in UTF-8, since it has zero bytes; expected a SentencePiece model or a list of words");
}

// The SentencePiece model that belongs to a list of its pieces.
std::string model_beside(const std::string& path) {
  for (const char* extension : {".model", ".spm"}) {
    const std::string model = std::filesystem::path(path).replace_extension(extension).string();
    std::error_code none;
    if (std::filesystem::is_regular_file(model, none)) return model;
  }
  return "the .model that was written with it";
}

bool is_merge(std::string_view line) {
  const std::vector<std::string_view> words = data::split_on_space(line);
  return (words.size() == 2 && !is_natural(words[1])) || (words.size() == 3 && is_natural(words[2]));
}

void refuse_merges(const std::vector<std::string_view>& lines, const std::string& path) {
  const bool has_end_of_word = share(lines, [](auto line) { return line.find("</w>") != line.npos; }) > 0.05;
  const bool is_byte_level =
      share(lines, [](auto line) { return line.find(kByteLevelSpace) != line.npos; }) > 0.05;
  const bool are_merges = (has_end_of_word || is_byte_level) && share(lines, is_merge) > 0.9;
  if (!lines.front().starts_with("#version:") && !are_merges) return;
  if (is_byte_level)
    refuse(path,
           "merges of byte-level BPE, as in GPT-2 and RoBERTa, which this program does not apply; give a "
           "SentencePiece model, or leave --vocabs out");
  refuse(
      path,
      "merges of BPE, as subword-nmt learn-bpe and fastBPE write them, not a vocabulary; split the text with "
      "them (subword-nmt apply-bpe -c FILE), and give the list that subword-nmt get-vocab makes of it, or "
      "--tokenizer whitespace and no --vocabs");
}

// SentencePiece's scores are at most 0, and counts are at least that.
void refuse_scores(const std::vector<Entry>& entries, const std::string& path) {
  const bool has_negative =
      std::ranges::any_of(entries, [](const Entry& e) { return e.number.starts_with('-'); });
  if (!has_negative) return;
  refuse(
      path,
      fmt::format(
          "SentencePiece's list of pieces with their scores, .vocab, which cannot split text; give {}, or, "
          "for text that is split into pieces already, cut -f1 of this file",
          model_beside(path)));
}

bool is_json(std::string_view bytes, const std::string& path) {
  if (path.ends_with(".json")) return true;
  std::string begin;  // the first two characters, white space left out
  for (const char c : bytes.substr(0, 100)) {
    if (!data::is_space(static_cast<unsigned char>(c)) && begin.size() < 2) begin += c;
  }
  return begin == "{\"" || begin == "[\"";
}

// `"word": 12`, of the first lines.
bool is_yaml(const std::vector<std::string_view>& lines, const std::string& path) {
  if (path.ends_with(".yml") || path.ends_with(".yaml")) return true;
  const std::vector<std::string_view> first(lines.begin(),
                                            lines.begin() + std::min<std::ptrdiff_t>(20, std::ssize(lines)));
  return share(first, [](std::string_view line) {
           const size_t at = line.rfind(": ");
           return at != line.npos && at > 0 && is_natural(line.substr(at + 2));
         }) == 1;
}

void refuse_empty(const std::vector<std::string_view>& lines, const std::string& path) {
  const auto empty = std::ranges::find(lines, std::string_view());
  if (empty != lines.end())
    fail(ErrorKind::data, "{}:{}: empty; a list has one word a line", path, empty - lines.begin() + 1);
}

// fairseq has its special tokens already, and gives an entry that overwrites one an id of its own
// behind the others'.
void refuse_overwritten_specials(const std::vector<std::string_view>& lines, const std::string& path) {
  constexpr std::string_view kSpecials[] = {"<s>", "<pad>", "</s>", "<unk>"};
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view word = entry_of(lines[i]).word;
    if (lines[i].ends_with(kOverwrite) && std::ranges::find(kSpecials, word) != std::end(kSpecials))
      fail(ErrorKind::data,
           "{}:{}: '{}' is there twice in fairseq, as a special token and as this entry; rename the entry, "
           "which keeps its id",
           path, i + 1, word);
  }
}

void refuse_spaces(const std::vector<Entry>& entries, const std::string& path) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].word.find_first_of(" \t") == std::string_view::npos) continue;
    fail(ErrorKind::data,
         "{}:{}: '{}' are several words; give a list of words, one per line, or a format that is read here "
         "(with counts, Marian's .yml, JSON, SentencePiece models)",
         path, i + 1, entries[i].word);
  }
}

}  // namespace

ListFormat list_format(std::string_view bytes, const std::string& path) {
  refuse_binary(bytes, path);
  if (is_json(bytes, path)) return ListFormat::json;
  const std::vector<std::string_view> lines = lines_of(bytes);
  if (lines.empty()) refuse(path, "is empty; expected a SentencePiece model or a list of words");
  refuse_merges(lines, path);
  if (is_yaml(lines, path)) return ListFormat::yaml;
  refuse_empty(lines, path);
  std::vector<Entry> entries;
  for (const std::string_view line : lines) entries.push_back(entry_of(line));
  const double numbered = share(entries, [](const Entry& entry) { return !entry.number.empty(); });
  if (numbered > 0.9) refuse_scores(entries, path);
  refuse_spaces(entries, path);
  if (numbered == 1) {
    refuse_overwritten_specials(lines, path);
    return ListFormat::counts;
  }
  const auto with_number =
      std::ranges::find_if(entries, [](const Entry& entry) { return !entry.number.empty(); });
  if (with_number != entries.end())
    fail(ErrorKind::data,
         "{}:{}: '{} {}' is a word with a number, and other lines have none; write one word a line", path,
         with_number - entries.begin() + 1, with_number->word, with_number->number);
  return ListFormat::words;
}

std::vector<std::string> words_of(std::string_view bytes, ListFormat format, const std::string& path) {
  if (format == ListFormat::json) return exchange::parse_pieces(bytes, path);
  if (format == ListFormat::yaml) return exchange::parse_yaml_pieces(bytes, path);
  std::vector<std::string> words;
  for (const std::string_view line : lines_of(bytes))
    words.emplace_back(format == ListFormat::counts ? entry_of(line).word : line);
  return words;
}

std::vector<std::string> listed_words(std::string_view bytes, const std::string& path) {
  return words_of(bytes, list_format(bytes, path), path);
}

void refuse_foreign_pieces(const std::vector<std::string>& pieces, const std::string& path) {
  const auto share_of = [&](std::string_view mark) {
    return share(pieces, [&](const std::string& piece) { return piece.starts_with(mark); });
  };
  if (share_of(kByteLevelSpace) > 0.05)
    refuse(
        path,
        "byte-level pieces, as in GPT-2 and RoBERTa, which this program does not apply; give a SentencePiece "
        "model, or leave --vocabs out");
  if (share_of("##") > 0.05 && std::ranges::find(pieces, "[UNK]") != pieces.end())
    refuse(
        path,
        "pieces of WordPiece, as in BERT, which this program does not apply; give a SentencePiece model, or "
        "leave --vocabs out");
  if (share(pieces, [](const std::string& piece) {
        return piece.size() > 2 && piece.starts_with('\'') && piece.ends_with("_'");
      }) > 0.05)
    refuse(
        path,
        "subwords of tensor2tensor, which this program does not apply; give a SentencePiece model, or leave "
        "--vocabs out");
}

}  // namespace xf::tools
