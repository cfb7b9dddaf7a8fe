#include "tools/report/run_report.h"
#include "tools/config/stored_metrics.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/display_text.h"
#include "data/vocabularies.h"
#include "nn/train/validation_progress.h"

namespace xf::tools {

namespace {

// The sentences of --valid-print, for the log.
std::vector<std::string> sample_lines(const std::vector<Sample>& samples) {
  std::vector<std::string> lines;
  for (const auto& [number, source, reference, translation] : samples) {
    lines.push_back(fmt::format("  {} source      {}", number, source));
    lines.push_back(fmt::format("  {} translation {}", number, translation));
    lines.push_back(fmt::format("  {} reference   {}", number, reference));
  }
  return lines;
}

std::vector<Field> fields_of(const FinalScore& score) {
  std::vector<Field> fields = {{"metric", stored_metric(score.score.metric)}, {"score", score.score.value}};
  fields.insert(fields.end(), score.details.begin(), score.details.end());
  return fields;
}

bool shows_nothing(const TrainingOptions& options) {
  const std::string& format = options.logging.log_format;
  return format == "none" || format == "json" || options.quiet;
}

}  // namespace

Terminal display_terminal(const TrainingOptions& options) {
  Terminal terminal = detect_terminal(stderr);
  if (options.logging.log_format == "plain" || shows_nothing(options)) terminal.redraws = false;
  return terminal;
}

RunReport::RunReport(const TrainingOptions& options, const nn::LoopOptions& loop, const RunLength& length)
    : options_(options),
      loop_(loop),
      updates_per_epoch_(length.updates_per_epoch),
      run_(options.saving.model),
      log_format_(options.logging.log_format),
      added_format_(added_log_format(options)),
      display_(stderr, display_terminal(options)),
      progress_(loop, length),
      pictures_(options) {}

void RunReport::open(const Lengths& keep, const nn::TrainingState& state) {
  const std::string path = has_own_log() ? run_ + "/train.log" : options_.logging.log;
  log_ = has_own_log() ? std::make_unique<LogFile>(path, keep.log)
                       : std::make_unique<LogFile>(path, kKeepAll, NamedBy::the_user);
  metrics_ = std::make_unique<LogFile>(run_ + "/metrics.jsonl", keep.metrics);
  went_back(state);
}

void RunReport::went_back(const nn::TrainingState& state) {
  if (metrics_) validations_ = std::make_unique<ValidationFiles>(run_, state.validated_at);
}

RunReport::Lengths RunReport::lengths() const {
  if (!metrics_) return {};
  return {has_own_log() ? log_->bytes() : kKeepAll, metrics_->bytes()};
}

bool RunReport::shows() const { return !shows_nothing(options_); }

void RunReport::show(const std::string& text) {
  if (shows()) display_.message(text);
}

void RunReport::note(const std::string& text) {
  if (log_) log_->line(data::printable_page(text));
}

void RunReport::say(const std::string& text) {
  show(text);
  note(text);
}

void RunReport::warn(const std::string& text) {
  display_.message("warning: " + text);
  note("warning: " + text);
}

void RunReport::activity(const std::string& text) {
  if (shows()) display_.activity(text);
}

void RunReport::metrics(const std::string& json) {
  if (metrics_) metrics_->line(json);
}

// The lines about the data set are on the display already: reading it came before.
void RunReport::begin_in_added_format(const data::Vocabularies& vocabularies, int64_t parameters) {
  note(added_format_->reading());
  note(added_format_->read());
  say(added_format_->beginning(vocabularies, parameters));
}

// Under the names of --valid-metrics, so that training and validation can be drawn together.
void RunReport::epoch(const nn::TrainingState& state) {
  const nn::EpochLoss& loss = state.epoch_loss;
  const auto tokens = static_cast<double>(loss.sums.tokens);
  metrics(json_line("epoch", {{"update", state.update},
                              {"epoch", state.epoch},
                              {"seconds", state.seconds},
                              {"loss", loss.sums.smoothed / tokens},
                              {"ce-mean-words", loss.sums.plain / tokens},
                              {"ce-mean-batches", loss.update_means / static_cast<double>(loss.updates)}}));
}

void RunReport::validation_metrics(const nn::TrainingState& state, const ValidationResult& result,
                                   bool best) {
  for (const nn::MetricScore& score : result.scores) {
    std::vector<Field> fields = {{"update", state.update},
                                 {"epoch", epoch_of(state)},
                                 {"seconds", state.seconds},
                                 {"metric", stored_metric(score.metric)},
                                 {"score", score.value}};
    if (score.metric == "bleu") fields.emplace_back("signature", result.bleu_signature);
    if (&score == &result.scores.front()) {
      fields.emplace_back("best", best);
      fields.emplace_back("stalled", nn::stalled(loop_, state));
    }
    metrics(json_line("valid", fields));
  }
}

std::string RunReport::validation_line(const nn::TrainingState& state, const ValidationResult& result,
                                       bool best) const {
  std::string line = fmt::format("valid · ep {} · up {}", epoch_of(state), grouped(state.update));
  for (const nn::MetricScore& score : result.scores)
    line += fmt::format(" · {} {:.{}f}", score.metric, score.value, score.higher_is_better ? 2 : 4);
  if (state.same_scores > 1) {
    line +=
        fmt::format(" · {} identical in all {} validations", result.scores.front().metric, state.same_scores);
  } else if (best) {
    line += state.stalled == 0 ? " · best so far" : " · equal to the best so far";
  }
  if (!best && state.best_update > 0) {
    line += fmt::format(" · best {:.2f} at update {} · stalled {}", state.best_score,
                        grouped(state.best_update), nn::stalled(loop_, state));
    if (loop_.early_stopping > 0) line += fmt::format("/{}", loop_.early_stopping);
  }
  return line;
}

void RunReport::validation(const nn::TrainingState& state, const ValidationResult& result, bool best) {
  validation_metrics(state, result, best);
  say(added_format_ ? added_format_->validation(state, result) : validation_line(state, result, best));
  for (const std::string& line : sample_lines(result.samples)) say(line);
  if (validations_) validations_->add(state, result, best);
  pictures_.show_attention(result.attention);
  draw(state, "");
}

void RunReport::rate_cut(const nn::TrainingState& state, double rate) {
  metrics(json_line("rate-cut", {{"update", state.update}, {"epoch", epoch_of(state)}, {"lr", rate}}));
  if (added_format_) return;
  say(fmt::format("plateau: no gain in {}; the learning rate is {:.2e} from here on",
                  counted(options_.schedule.lr_decay_patience + 1, "validation"), rate));
}

void RunReport::averaged(const FinalScore& score) {
  say("averaged model, " + score.text);
  metrics(json_line("averaged", fields_of(score)));
  pictures_.show_attention(score.attention);
}

void RunReport::tested(const std::string& set, const FinalScore& score) {
  say(fmt::format("test {}, {}", set, score.text));
  std::vector<Field> fields = fields_of(score);
  fields.insert(fields.begin(), {"set", set});
  metrics(json_line("test", fields));
}

void RunReport::draw(const nn::TrainingState& state, const std::string& ended) {
  if (!metrics_) return;
  RunStatus status{.training = state, .last_update = progress_.last_update(state)};
  if (!ended.empty()) status.state = ended;
  for (const std::string& problem : pictures_.draw(status)) warn(problem);
}

// Of the speed of training alone: validations are few, and none has been seen yet.
void RunReport::predict(const nn::TrainingState& state) {
  const std::optional<double> seconds = progress_.prediction(state);
  if (!seconds || added_format_) return;
  std::string after = options_of(options_).at("after").text();
  std::ranges::replace(after, ' ', ',');
  say(fmt::format("about {} until the end of --after {}, without validations", rough_time(*seconds), after));
}

void RunReport::update(const nn::TrainingState& state, const nn::UpdateResult& result) {
  if (shows() && !added_format_) display_.tick(progress_.at(state, result));
  if (result.update == state.update)
    predict(state);  // else a device is still at work, and the clock says nothing
}

void RunReport::report(const nn::TrainingState& state, const nn::UpdateResult& result) {
  const Progress progress = progress_.at(state, result);
  const std::string json = json_line("train", {{"update", state.update},
                                               {"epoch", progress.epoch},
                                               {"loss", progress.loss},
                                               {"ce-mean-words", progress.plain_loss},
                                               {"ppl", std::exp(progress.plain_loss)},
                                               {"lr", progress.learn_rate},
                                               {"gnorm", progress.gradient_norm},
                                               {"tok_per_s", std::round(progress.tokens_per_second)},
                                               {"mem_mb", std::round(peak_memory_mb())},
                                               {"seconds", state.seconds}});
  metrics(json);
  if (added_format_) return say(added_format_->update(state, result, updates_per_epoch_));
  note(progress_line(progress));
  if (log_format_ == "json") {
    std::fputs((data::printable_page(json) + "\n").c_str(), stderr);
  } else if (log_format_ != "none" && !options_.quiet) {
    display_.report(progress);
  }
}

}  // namespace xf::tools
