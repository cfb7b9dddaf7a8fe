#include "tools/explain/word_rows.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "data/unicode.h"
#include "data/word_boundaries.h"

namespace xf::tools::explain {

namespace {

constexpr std::string_view kSpace = "\u2581";  // SentencePiece's mark of one, before a piece
constexpr std::string_view kGoesOn = "@@";     // subword-nmt's mark, behind a piece that does not
                                               // end
                                               // its word

constexpr std::string_view kNoText = "\uFFFC";  // where a special token stands, as </s>

bool is_special(const std::string& piece) { return piece.starts_with('<') && piece.ends_with('>'); }

// Without what spellings of one word differ in: case, composed accents, typographic apostrophes and
// hyphens.
std::string folded(std::string_view text) {
  std::string result = data::lower_case(data::normalize_nfc(text));
  for (const std::string_view apostrophe : {"\u2019", "\u02BC"}) data::replace_all(result, apostrophe, "'");
  for (const std::string_view hyphen : {"\u2010", "\u2011"}) data::replace_all(result, hyphen, "-");
  return result;
}

// The sentence as text, and where its pieces lie in it.
class SpelledPieces {
 public:
  explicit SpelledPieces(const std::vector<std::string>& pieces) {
    const auto is_marked = [](const std::string& piece) { return piece.starts_with(kSpace); };
    const auto goes_on = [](const std::string& piece) { return piece.ends_with(kGoesOn); };
    const bool marked = std::ranges::any_of(pieces, is_marked),
               with_continuations = !marked && std::ranges::any_of(pieces, goes_on);
    bool word_begins = true;
    for (const std::string& piece : pieces) {
      std::string_view bare = piece;
      const bool has_mark = marked && is_marked(piece), continues = with_continuations && goes_on(piece);
      if (has_mark) bare.remove_prefix(kSpace.size());
      if (continues) bare.remove_suffix(kGoesOn.size());
      if (!text_.empty() && (has_mark || (with_continuations && word_begins))) text_ += ' ';
      ends_.insert(text_.size());
      if (!marked && word_begins) word_ends_.insert(text_.size());
      begins_.push_back(text_.size());
      text_ += is_special(piece) ? std::string(kNoText) : folded(bare);
      word_begins = !continues;
    }
    ends_.insert(text_.size());
    if (!marked) word_ends_.insert(text_.size());
    boundaries_ = data::word_boundaries(text_);
  }

  const std::string& text() const { return text_; }

  // Whether a word may begin or end at this byte.
  bool is_boundary(size_t at) const {
    if (at == 0 || at == text_.size() || word_ends_.contains(at)) return true;
    const char32_t before = data::to_utf32(text_.substr(0, at)).back(),
                   behind = data::to_utf32(text_.substr(at)).front();
    if (!data::is_letter_or_digit(before) || !data::is_letter_or_digit(behind)) return true;
    if (!data::is_written_without_spaces(before) && !data::is_written_without_spaces(behind)) return false;
    return ends_.contains(at) || boundaries_.contains(at);
  }

  // The pieces of which some part lies in [begin, end).
  std::vector<size_t> between(size_t begin, size_t end) const {
    std::vector<size_t> rows;
    for (size_t i = 0; i < begins_.size(); ++i) {
      const size_t behind = i + 1 < begins_.size() ? begins_[i + 1] : text_.size();
      if (begins_[i] < end && behind > begin && behind > begins_[i]) rows.push_back(i);
    }
    return rows;
  }

 private:
  std::string text_;
  std::vector<size_t> begins_;                      // of each piece
  std::set<size_t> ends_, word_ends_, boundaries_;  // of pieces, of pieces that are words, by
                                                    // Unicode's rules
};

}  // namespace

std::vector<size_t> word_rows(const std::vector<std::string>& pieces, const std::string& word) {
  const std::string wanted = folded(word);
  if (wanted.empty()) return {};
  const SpelledPieces sentence(pieces);
  std::set<size_t> rows;
  for (size_t at = sentence.text().find(wanted); at != std::string::npos;
       at = sentence.text().find(wanted, at + 1)) {
    if (!sentence.is_boundary(at) || !sentence.is_boundary(at + wanted.size())) continue;
    for (const size_t row : sentence.between(at, at + wanted.size())) rows.insert(row);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (is_special(pieces[i]) && folded(pieces[i]) == wanted) rows.insert(i);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace xf::tools::explain
