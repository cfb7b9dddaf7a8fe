#include "data/language_tags.h"

#include <algorithm>

namespace xf::data {
namespace {

constexpr std::string_view kOpen = ">>", kClose = "<<", kWhiteSpace = " \t";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

bool is_between(std::string_view entry, std::string_view open, std::string_view close) {
  if (entry.size() <= open.size() + close.size() || !entry.starts_with(open) || !entry.ends_with(close))
    return false;
  const std::string_view inside = entry.substr(open.size(), entry.size() - open.size() - close.size());
  return inside.find_first_of("<> \t") == std::string_view::npos;
}

// __fr__, __opt_tgt_fr.
bool is_underlined(std::string_view entry) {
  return entry.size() > 3 && entry.starts_with("__") && std::ranges::all_of(entry, is_name_character) &&
         std::ranges::any_of(entry, is_letter);
}

// A language of two or three letters and what it is written in, or where: fra_Latn, fr_XX.
bool is_language_code(std::string_view entry) {
  const size_t line = entry.find('_');
  if (line != 2 && line != 3) return false;
  const std::string_view behind = entry.substr(line + 1);
  return std::ranges::all_of(entry.substr(0, line), is_small) && (behind.size() == 2 || behind.size() == 4) &&
         std::ranges::all_of(behind, is_letter) && !is_small(behind.front());
}

}  // namespace

bool looks_like_tag(std::string_view entry) {
  return is_between(entry, kOpen, kClose) || is_between(entry, "<", ">") || is_underlined(entry) ||
         is_between(entry, "\uFF5F", "\uFF60") || is_language_code(entry);
}

std::string_view leading_tag(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  std::string_view word = text.substr(0, text.find_first_of(kWhiteSpace));
  // OPUS-MT's may stand before a word without a space.
  if (const size_t end = word.find(kClose); word.starts_with(kOpen) && end != std::string_view::npos)
    word = word.substr(0, end + kClose.size());
  return looks_like_tag(word) ? word : std::string_view{};
}

}  // namespace xf::data
