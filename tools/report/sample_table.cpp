#include "tools/report/sample_table.h"

#include <fmt/core.h>

#include <optional>

#include "data/unicode.h"
#include "tools/console/progress.h"
#include "tools/report/changed_words.h"
#include "tools/report/svg_plot.h"

namespace xf::tools {

namespace {

constexpr size_t kMostSentences = 5, kMostTranslations = 8;
constexpr size_t kMostLetters = 400;  // of a sentence

using Translation = std::pair<int64_t, std::string>;

std::string shortened(const std::string& text) {
  if (text.size() <= kMostLetters) return text;
  const std::u32string letters = data::to_utf32(text);
  return letters.size() <= kMostLetters ? text : data::to_utf8(letters.substr(0, kMostLetters)) + "…";
}

// Where it changed; of more such moments than there is room for some, evenly.
std::vector<Translation> versions(const std::vector<Translation>& all) {
  std::vector<Translation> changes;
  for (const Translation& translation : all) {
    if (changes.empty() || changes.back().second != translation.second) changes.push_back(translation);
  }
  if (changes.size() <= kMostTranslations) return changes;
  std::vector<Translation> some;
  for (size_t i = 0; i < kMostTranslations; ++i)
    some.push_back(changes[i * (changes.size() - 1) / (kMostTranslations - 1)]);
  return some;
}

std::string marked(const std::string& before, const std::string& now) {
  std::string html;
  for (const auto& [word, changed] : changed_words(before, now)) {
    html += html.empty() ? "" : " ";
    html += changed ? fmt::format("<mark>{}</mark>", escaped(word)) : escaped(word);
  }
  return html;
}

void add_row(HtmlPage& page, const std::string& name, const std::string& html) {
  page.add(fmt::format("<tr><td>{}</td><td dir=\"auto\">{}</td></tr>", name, html));
}

void add_history(HtmlPage& page, int64_t number, const SampleHistory& history) {
  page.subheading(fmt::format("Sentence {}", number));
  page.add("<div class=\"scroll\"><table class=\"words\">");
  add_row(page, "source", escaped(shortened(history.source)));
  add_row(page, "reference", escaped(shortened(history.reference)));
  std::optional<std::string> before;
  for (const auto& [update, translation] : versions(history.translations)) {
    const std::string now = shortened(translation), html = before ? marked(*before, now) : escaped(now);
    add_row(page, fmt::format("update {}", grouped(update)), html.empty() ? "(nothing)" : html);
    before = now;
  }
  page.add("</table></div>");
}

}  // namespace

void add_samples(HtmlPage& page, const std::map<int64_t, SampleHistory>& histories) {
  if (histories.empty()) return;
  page.heading("Translations of the validation set", "samples");
  page.paragraph(
      "Where they changed from one validation to another, or at some of these moments; "
      "words that the translation above does not have are marked. The files in samples/ have more.");
  size_t shown = 0;
  for (const auto& [number, history] : histories) {
    if (shown++ == kMostSentences) break;
    add_history(page, number, history);
  }
}

}  // namespace xf::tools
