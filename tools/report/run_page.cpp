#include "tools/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "data/unicode.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/console/shell_word.h"
#include "tools/report/changed_words.h"
#include "tools/report/html_page.h"
#include "tools/report/run_log.h"
#include "tools/report/run_plots.h"
#include "tools/report/run_progress.h"
#include "tools/report/svg_plot.h"
#include "tools/report/validation_files.h"
#include "tools/setup/read_training_options.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

namespace {

// Sentences of the validation set and what became of their translations, on a page.

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

// Of the first few sentences: source, reference, and translations at a few validations, first and
// last among them, with the words marked that the one above does not have. Nothing where there are
// none.
void add_samples(HtmlPage& page, const std::map<int64_t, SampleHistory>& histories) {
  if (histories.empty()) return;
  page.heading("Translations of the validation set", "samples");
  page.paragraph(
      "Each translation at the validations that changed it, or at some of them. Words that the translation "
      "above lacks are marked. The files in samples/ have more.");
  size_t shown = 0;
  for (const auto& [number, history] : histories) {
    if (shown++ == kMostSentences) break;
    add_history(page, number, history);
  }
}

using Rows = std::vector<std::vector<std::string>>;

constexpr double kCell = 13;                // pixels, of the maps of attention
constexpr int kWidth = 440, kHeight = 300;  // of a plot: two or three beside each other, one on a
                                            // phone

constexpr const char* kStyle = R"(
.plots figure { width: 27.5rem; } .plots svg { width: 100%; height: auto; }
.words td, .words th { text-align: left; vertical-align: top; overflow-wrap: anywhere; } .words td:first-child { white-space: nowrap; color: #666; }
mark { background: #ffe9a8; color: inherit; padding: 0 0.1em; border-radius: 0.2em; }
pre { overflow-x: auto; background: #f4f4f4; padding: 0.6rem; }
@media (prefers-color-scheme: dark) {
  .words td:first-child { color: #aaa; } mark { background: #5c4a12; } pre { background: #2a2a2a; }
}
)";

std::string state_line(const RunStatus& status) {
  const nn::TrainingState& training = status.training;
  std::string line = fmt::format("update {}", grouped(training.update));
  if (status.last_update > training.update) line += fmt::format(" of {}", grouped(status.last_update));
  if (training.update > 0) line += fmt::format(" · epoch {}", epoch_of(training));
  line += fmt::format(" · {}", clock_time(training.seconds));
  if (training.same_scores > 1) {
    line += fmt::format(" · {} {:.2f} in all {} validations", metric_title(training.best_metric),
                        training.best_score, training.same_scores);
  } else if (training.best_update > 0) {
    line += fmt::format(" · best {} {:.2f} at update {}", metric_title(training.best_metric),
                        training.best_score, grouped(training.best_update));
  }
  return fmt::format("{} · updated at {}", line, utc_time());
}

std::string final_score(const AveragedRecord& record) {
  const std::string beam = record.beam > 0 ? fmt::format(", beam {}", record.beam) : "";
  const std::vector<std::string> how = scoring_keys(record.signature);
  return fmt::format("{}: {} {}{}", beam, metric_title(record.metric),
                     score_text(record.metric, record.score),
                     how.empty() ? "" : fmt::format(" ({})", fmt::join(how, ", ")));
}

// The averaged model's.
void add_final_scores(HtmlPage& page, const RunMetrics& metrics) {
  if (metrics.averaged) page.paragraph("Averaged model" + final_score(*metrics.averaged));
  for (const TestRecord& test : metrics.tests)
    page.paragraph(fmt::format("Averaged model on {}{}", test.set, final_score(test.measured)));
}

// Each metric as the latest validation and the best checkpoint have it.
void add_scores(HtmlPage& page, const RunMetrics& metrics) {
  if (metrics.scores.empty()) return;
  const int64_t latest = metrics.scores.back().update, best = metrics.best_update();
  Rows rows;
  for (const ScoreRecord& record : metrics.scores) {
    if (record.update != latest) continue;
    const auto at_best = std::ranges::find_if(metrics.scores, [&](const ScoreRecord& other) {
      return other.update == best && other.metric == record.metric;
    });
    const bool has_best = at_best != metrics.scores.end();
    rows.push_back({metric_title(record.metric), score_text(record.metric, record.score),
                    has_best ? score_text(record.metric, at_best->score) : ""});
  }
  page.table({"validation", fmt::format("latest, update {}", grouped(latest)),
              fmt::format("best checkpoint, update {}", grouped(std::max<int64_t>(best, 0)))},
             rows);
}

void add_curves(HtmlPage& page, const RunMetrics& metrics) {
  page.heading("Curves", "curves");
  page.paragraph(
      "Plain losses are without label smoothing and can be compared. The training loss is measured with "
      "dropout on, and with the weights of that update. So it can be above the validation loss, which has no "
      "dropout. Noisy values are shown by their moving mean. Perplexities of the first updates are left "
      "out.");
  page.add("<div class=\"figures plots\">");
  for (Plot plot : {loss_plot(metrics), score_plot(metrics), perplexity_plot(metrics), rate_plot(metrics),
                    norm_plot(metrics), speed_plot(metrics), memory_plot(metrics)}) {
    if (plot.series.empty()) continue;
    plot.width = kWidth;
    plot.height = kHeight;
    page.figure(plot_drawing(plot), "");
  }
  page.add("</div>");
}

void add_attention(HtmlPage& page, const std::vector<Gallery>& galleries) {
  if (galleries.empty()) return;
  page.heading("Cross-attention of the decoder", "attention");
  page.paragraph(
      "Each decoder layer, mean over its heads: one row per target token, one column per source token. "
      "xformer-explain attention shows every head.");
  for (const Gallery& gallery : galleries) {
    page.subheading(gallery.heading);
    page.open_figures();
    for (const TitledMatrix& titled : gallery.matrices)
      page.figure(matrix_drawing(titled.matrix, titled.title, kCell), "");
    page.close_figures();
  }
}

// Of the first line of metrics.jsonl, what it has.
void add_facts(HtmlPage& page, const RunMetrics& metrics,
               const std::vector<std::pair<const char*, const char*>>& names) {
  Rows rows;
  for (const auto& [field, name] : names) {
    const auto found = metrics.begin.find(field);
    if (found == metrics.begin.end()) continue;
    const bool whole = found->second.find_first_not_of("0123456789") == std::string::npos;
    rows.push_back({name, whole ? grouped(metrics.number(field)) : found->second});
  }
  page.table({"", ""}, rows);
}

void add_data(HtmlPage& page, const RunMetrics& metrics) {
  page.heading("Data", "data");
  add_facts(page, metrics,
            {{"read", "read"},
             {"pairs", "kept"},
             {"empty", "left out: a side is empty"},
             {"too_long", "left out: longer than max-length"},
             {"cropped", "cropped to max-length"},
             {"source_tokens", "source tokens"},
             {"source_unknown", "of these unknown"},
             {"target_tokens", "target tokens"},
             {"target_unknown", "of these unknown"},
             {"valid", "to validate on"},
             {"updates_per_epoch", "updates in an epoch"},
             {"source_vocabulary", "source vocabulary"},
             {"target_vocabulary", "target vocabulary"},
             {"parameters", "parameters of the model"}});
}

void add_configuration(HtmlPage& page, const TrainingOptions& options) {
  const std::string& task = options.task;
  const TrainingOptions preset = training_options_from_toml(fmt::format("task = \"{}\"", task), "preset");
  Rows changed, rest;
  const OptionList here = options_of(options), of_task = options_of(preset);
  for (const std::string& name : here.names(true)) {
    const std::string text = here.at(name).text(), usual = of_task.at(name).text();
    if (text != usual) changed.push_back({name, text, usual.empty() ? "not set" : usual});
    if (text == usual && !text.empty()) rest.push_back({name, text});
  }
  page.heading("Configuration", "configuration");
  page.add("<div class=\"words\">");
  page.open_details(fmt::format("Differences from the task {}", task), false);
  page.table({"option", "here", "task"}, changed);
  page.close_details();
  page.open_details("Other options", false);
  page.table({"option", "here"}, rest);
  page.close_details();
  page.add("</div>");
}

void add_environment(HtmlPage& page, const RunMetrics& metrics) {
  page.add("<div class=\"words\">");
  page.open_details("Environment at the start of the run", false);
  add_facts(page, metrics,
            {{"time", "time"},
             {"version", "xformer"},
             {"device", "device"},
             {"threads", "threads"},
             {"build", "build"},
             {"seed", "seed"},
             {"vocabulary", "hash of the vocabulary"}});
  page.close_details();
  page.add("</div>");
}

// With which the last BLEU was measured.
std::string last_tokenizer(const RunMetrics& metrics) {
  std::string signature = metrics.averaged ? metrics.averaged->signature : "";
  for (const ScoreRecord& record : metrics.scores) {
    if (!record.signature.empty() && !metrics.averaged) signature = record.signature;
  }
  for (const std::string& key : scoring_keys(signature)) {
    if (key.starts_with("tok:")) return key.substr(4);
  }
  const auto fitting = metrics.begin.find("tokenize");
  return fitting == metrics.begin.end() ? "" : fitting->second;
}

void add_commands(HtmlPage& page, const RunContent& content) {
  page.heading("Commands", "commands");
  std::string use = use_line(model_type(content.options.model), content.run);
  if (model_type(content.options.model) == nn::ModelType::translation)
    use += "\n" + score_line(content.options.text.lowercase, last_tokenizer(content.metrics));
  page.add(
      fmt::format("<pre>xformer-train -m {}   # continues\n"
                  "{}</pre>",
                  escaped(shell_word(content.run)), escaped(use)));
}

}  // namespace

std::string run_page(const RunContent& content, const RunStatus& status) {
  const std::string name = std::filesystem::path(content.run).lexically_normal().filename().string();
  HtmlPage page(fmt::format("{}: {}", name.empty() ? content.run : name, status.state));
  page.style(kStyle);
  page.paragraph(state_line(status));
  add_scores(page, content.metrics);
  add_final_scores(page, content.metrics);
  add_curves(page, content.metrics);
  add_samples(page, content.samples);
  add_attention(page, content.attention);
  add_data(page, content.metrics);
  add_configuration(page, content.options);
  add_environment(page, content.metrics);
  add_commands(page, content);
  return page.html();
}

}  // namespace xf::tools
