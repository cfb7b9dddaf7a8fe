#include "tools/app/recipe_fit.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/unicode.h"
#include "data/vocabularies.h"
#include "data/word_boundaries.h"
#include "data/word_rules.h"
#include "tools/config/config_file.h"
#include "tools/config/option.h"
#include "tools/console/progress.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

namespace {

// Measured on the first 300 to 5,000 pairs of Multi30k (docs/guide/train.md, "Recipes fit the
// text").
constexpr double kPieces = 10000, kCharactersOfThem = 3e6;     // others by the square root of the
                                                               // characters
constexpr int64_t kFewestBatches = 20, kBatches = 25;          // of an epoch
constexpr int64_t kFewestWords = 256;                          // of a batch
constexpr double kLongestWarmup = 1.0 / 3, kWarmup = 1.0 / 5;  // of the updates that the task plans
constexpr double kMostLeftOut = 0.01;                          // of the pairs
constexpr int64_t kLongestFitted = 1023;
constexpr size_t kSampledLines = 2000;

int64_t count_characters(const std::string& line) {
  return std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

using Sides = std::vector<const std::vector<std::string>*>;

// Without spaces BPE knows no words: of many more pieces than there are words some are whole lines.
// So many different words as a text has that has a side of such a script, by ICU's dictionaries;
// `most` if it has more, and of other text.
double most_words(const Sides& sides, double most) {
  std::set<std::string> different;
  bool has_unspaced = false;
  for (const auto* side : sides) {
    int64_t words = 0, unspaced = 0;
    for (const std::string& line : *side) {
      for (std::string& word : data::split_words(line)) {
        ++words;
        unspaced += std::ranges::any_of(data::to_utf32(word), data::is_written_without_spaces);
        different.insert(std::move(word));
      }
      if (static_cast<double>(different.size()) >= most) return most;
    }
    has_unspaced = has_unspaced || 2 * unspaced > words;
  }
  return has_unspaced ? static_cast<double>(different.size()) : most;
}

// To two digits.
int64_t rounded(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
  return std::llround(unit * std::round(number / unit));
}

// As the task has it; "" where it does not say.
std::string of_task(const TrainingOptions& options, const char* key) {
  const GivenOptions given = options_of_preset(options_of(options), options.task);
  const GivenOption* const option = find_given(given, key);
  return option ? option->words.front() : "";
}

// What --mini-batch-words counts, with </s>.
double words_of(const TrainingOptions& options, const data::CorpusStatistics& s) {
  const bool classifies = options.model.type == "classification";
  return static_cast<double>((classifies ? s.source.tokens : s.target.tokens) + s.kept);
}

// A batch has an eighth as many sentences as words at most.
double batches_of(const TrainingOptions& options, const data::CorpusStatistics& s) {
  return std::max(words_of(options, s), 8.0 * static_cast<double>(s.kept)) /
         static_cast<double>(options.batches.mini_batch_words);
}

double in_updates(const TrainingLength& length, double updates_per_epoch) {
  return length.unit == TrainingLength::Unit::epochs ? length.value * updates_per_epoch : length.value;
}

std::vector<size_t> longer_sides(const data::ParallelText& text, const data::Vocabularies& vocabularies) {
  std::vector<size_t> lengths;
  const bool classes = vocabularies.target->eos_id() < 0;
  const size_t lines = std::max(text.source.size(), classes ? 0 : text.target.size());
  const size_t step = std::max<size_t>(1, lines / kSampledLines);
  for (size_t i = 0; i < lines; i += step) {
    size_t longest = 0;
    if (i < text.source.size()) longest = vocabularies.source->encode(text.source[i]).size();
    if (!classes) longest = std::max(longest, vocabularies.target->encode(text.target[i]).size());
    lengths.push_back(longest);
  }
  return lengths;
}

}  // namespace

double estimated_updates_per_epoch(const TrainingOptions& options, const data::CorpusStatistics& s,
                                   int processes) {
  const int64_t sentences = options.batches.mini_batch;
  const double batches =
      sentences > 0 ? static_cast<double>(s.kept) / static_cast<double>(sentences) : batches_of(options, s);
  return std::max(1.0, std::ceil(batches)) / static_cast<double>(options.batches.optimizer_delay * processes);
}

RecipeFit::RecipeFit(TrainingOptions& options, RunStart start, int processes)
    : options_(options),
      fits_(start != RunStart::resumed && !resumes_checkpoint(options)),
      processes_(processes) {}

void RecipeFit::set(const char* option, const std::string& word) {
  const std::string before = options_of(options_).at(option).text();
  options_of(options_).apply({{option, {word}, option}}, OptionList::Origin::preset);
  if (options_of(options_).at(option).text() == before) return;
  changes_ += fmt::format("{}{} {} (not {})", changes_.empty() ? "" : ", ", option,
                          options_of(options_).at(option).text(), before);
}

void RecipeFit::fit_vocabulary(const data::ParallelText& text) {
  const bool learns = options_.data.vocabs.empty() && options_.saving.pretrained_model.empty();
  if (!may_set("vocab-size") || !learns || options_.text.tokenizer != "spm") return;
  const bool classifies = options_.model.type == "classification";
  const Sides sides = classifies ? Sides{&text.source} : Sides{&text.source, &text.target};
  int64_t characters = 0;
  for (const auto* side : sides) {
    for (const std::string& line : *side) characters += count_characters(line);
  }
  double pieces = kPieces * std::sqrt(static_cast<double>(characters) / kCharactersOfThem);
  const auto most = static_cast<double>(options_.text.vocab_size);
  if (pieces >= most) return;
  pieces = most_words(sides, pieces);
  std::set<char32_t> different;
  for (const auto* side : {&text.source, &text.target}) {
    for (const std::string& line : *side) {
      for (const char32_t c : data::to_utf32(line)) different.insert(c);
    }
  }
  const double wanted = pieces + static_cast<double>(different.size()) + 8;
  set("vocab-size", std::to_string(std::min(rounded(wanted), options_.text.vocab_size)));
}

void RecipeFit::fit_length(const data::ParallelText& text, const data::Vocabularies& vocabularies) {
  const bool is_fixed = options_.data.max_length_crop || options_.model.transformer_train_positions ||
                        !options_.saving.pretrained_model.empty() || !options_.model.quirks.empty();
  if (!may_set("max-length") || is_fixed) return;
  const std::vector<size_t> lengths = longer_sides(text, vocabularies);
  const auto too_many_over = [&](int64_t limit) {
    const auto over =
        std::ranges::count_if(lengths, [&](size_t length) { return static_cast<int64_t>(length) > limit; });
    return static_cast<double>(over) > kMostLeftOut * static_cast<double>(lengths.size());
  };
  const int64_t before = options_.text.max_length;
  const int64_t most = std::min(kLongestFitted, options_.batches.mini_batch_words - 1);
  int64_t limit = before;
  for (int64_t next = 63; too_many_over(limit) && next <= most; next = 2 * next + 1)
    limit = std::max(limit, next);
  if (limit > before) set("max-length", std::to_string(limit));
}

void RecipeFit::fit_training(const data::CorpusStatistics& statistics) {
  fit_batches(statistics);
  fit_warmup(statistics);
  fit_rate(statistics);
}

void RecipeFit::fit_batches(const data::CorpusStatistics& s) {
  const bool by_words = options_.batches.mini_batch == 0 && !options_.batches.mini_batch_fit;
  if (!may_set("mini-batch-words") || !by_words || batches_of(options_, s) >= kFewestBatches) return;
  const double words =
      batches_of(options_, s) * static_cast<double>(options_.batches.mini_batch_words) / kBatches;
  const int64_t fewest = std::max({kFewestWords, s.source.longest + 1, s.target.longest + 1});
  set("mini-batch-words", std::to_string(std::clamp(rounded(words), fewest,
                                                    std::max(fewest, options_.batches.mini_batch_words))));
}

void RecipeFit::fit_warmup(const data::CorpusStatistics& s) {
  const auto end = parse_training_length(of_task(options_, "after"));
  if (!may_set("lr-warmup") || !end ||
      (end->unit != TrainingLength::Unit::epochs && end->unit != TrainingLength::Unit::updates))
    return;
  const double per_epoch = estimated_updates_per_epoch(options_, s, processes_);
  const double planned = in_updates(*end, per_epoch);
  if (in_updates(options_.schedule.lr_warmup, per_epoch) <= kLongestWarmup * planned) return;
  set("lr-warmup", fmt::format("{}u", std::max<int64_t>(1, std::llround(kWarmup * planned))));
}

// noam's is a factor, that of the others the peak: of the same peak, where the task has the one and
// the user asks for another.
void RecipeFit::fit_rate(const data::CorpusStatistics& s) {
  const bool is_factor = options_.schedule.lr_schedule == "noam",
             was_factor = of_task(options_, "lr-schedule") == "noam";
  if (!may_set("learn-rate") || is_factor == was_factor) return;
  const double warmup = std::round(
      in_updates(options_.schedule.lr_warmup, estimated_updates_per_epoch(options_, s, processes_)));
  const double scale = std::sqrt(static_cast<double>(options_.model.dim_emb) * std::max(1.0, warmup));
  const double rate = options_.schedule.learn_rate;
  set("learn-rate", fmt::format("{:.3g}", is_factor ? rate * scale : rate / scale));
}

std::string RecipeFit::line(const data::CorpusStatistics& statistics) const {
  if (changes_.empty()) return "";
  return fmt::format("fitted to {}, as none was given: {}",
                     counted(statistics.kept, statistics.source.tokens > 0 ? "pair" : "line"), changes_);
}

namespace {

// Of --after in tokens by those of an epoch; nothing where it counts time alone.
std::optional<double> planned_updates(const TrainingInputs& inputs, const TrainingSetup& setup) {
  std::optional<double> last = last_update(inputs.options, setup.updates_per_epoch);
  const data::CorpusStatistics& s = inputs.corpus.statistics;
  for (const TrainingLength& length : inputs.options.stopping.after) {
    if (length.unit != TrainingLength::Unit::tokens) continue;
    const double updates =
        length.value / static_cast<double>(s.target.tokens + s.kept) * setup.updates_per_epoch;
    last = std::min(last.value_or(updates), updates);
  }
  return last;
}

std::string warmup_warning(const TrainingInputs& inputs, const TrainingSetup& setup) {
  const std::optional<double> last = planned_updates(inputs, setup);
  const nn::Schedule& schedule = setup.trainer.schedule;
  if (!last || schedule.peak == 0 || *last >= static_cast<double>(schedule.warmup)) return "";
  std::string after = options_of(inputs.options).at("after").text();
  std::ranges::replace(after, ' ', ',');
  return fmt::format(
      "the learning rate will end at {:.0f}% of its peak: its warm-up has {} updates, "
      "and --after {} is {} of this text; give --lr-warmup {}u, or a later --after",
      100 * *last / static_cast<double>(schedule.warmup), grouped(schedule.warmup), after,
      grouped(std::llround(*last)), std::max<int64_t>(1, std::llround(kWarmup * *last)));
}

std::string rate_warning(const TrainingOptions& options, const nn::Schedule& schedule) {
  constexpr double kLeast = 1e-5, kMost = 0.5;  // of a peak that anything learns at, but for SGD
  const bool is_factor = options.schedule.lr_schedule == "noam";
  const double rate = options.schedule.learn_rate;
  if (is_factor && schedule.peak > 0 && schedule.peak < kLeast)
    return fmt::format(
        "learn-rate: {} is noam's factor, and the peak rate is {:.1e}; the paper's factor is 1, with a peak "
        "of {:.1e}",
        rate, schedule.peak, schedule.peak / rate);
  if (!is_factor && schedule.peak >= kMost && options.optimizer.optimizer != "sgd")
    return fmt::format(
        "learn-rate: {} is the peak rate, with which {} will not learn; 1e-4 to 1e-2 are usual, and only "
        "--lr-schedule noam takes a factor",
        rate, options.optimizer.optimizer);
  return "";
}

std::string length_warning(const TrainingOptions& options, const data::CorpusStatistics& s) {
  if (static_cast<double>(s.dropped_long) <= kMostLeftOut * static_cast<double>(s.pairs)) return "";
  return fmt::format(
      "{} of {} ({:.1f}%) are left out, with more than {} tokens; a larger --max-length keeps them, "
      "--max-length-crop cuts them",
      grouped(s.dropped_long), counted(s.pairs, s.source.tokens > 0 ? "pair" : "line"),
      100 * static_cast<double>(s.dropped_long) / static_cast<double>(s.pairs),
      grouped(options.text.max_length));
}

}  // namespace

std::vector<std::string> recipe_warnings(const TrainingInputs& inputs, const TrainingSetup& setup) {
  std::vector<std::string> warnings = {length_warning(inputs.options, inputs.corpus.statistics),
                                       rate_warning(inputs.options, setup.trainer.schedule),
                                       warmup_warning(inputs, setup)};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace xf::tools
