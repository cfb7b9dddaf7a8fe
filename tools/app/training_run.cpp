#include "tools/app/training_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "nn/checkpoint/safetensors.h"
#include "nn/train/average_choice.h"
#include "nn/train/interval.h"
#include "nn/train/validation_progress.h"
#include "tools/app/equal_ranks.h"
#include "tools/app/pretrained_model.h"
#include "tools/app/ranks.h"
#include "tools/app/recipe_fit.h"
#include "tools/app/run_beginning.h"
#include "tools/app/run_origin.h"
#include "tools/app/training_phases.h"
#include "tools/app/training_save.h"
#include "tools/config/training_options.h"
#include "tools/console/shell_word.h"
#include "tools/report/run_metrics.h"
#include "tools/report/run_report.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

namespace {

constexpr const char* kLatest = "latest";  // of a run folder

RunLength length_of(const TrainingSetup& setup) {
  return {setup.updates_per_epoch, setup.batches.pairs_in_epoch(), setup.trainer.method};
}

// "averaged: bleu 27.10 of the last 8 checkpoints, 28.30 of 4, 28.10 of 2; 27.60 of the best
// checkpoint; chosen: the last 4"
std::string choice_line(const nn::AverageChoice& choice, const std::string& metric,
                        const nn::TrainingState& state) {
  std::string line = fmt::format("averaged: {}", metric);
  for (const nn::AverageChoice::Tried& tried : choice.tried) {
    const bool is_first = &tried == &choice.tried.front();
    line += fmt::format("{} {} of {}", is_first ? "" : ",", score_text(metric, tried.score),
                        is_first ? "the last " + counted(tried.saves, "checkpoint") : grouped(tried.saves));
  }
  if (state.best_update > 0)
    line += fmt::format("; {} of the best checkpoint", score_text(metric, state.best_score));
  return line + (choice.saves == 0 ? "; chosen: the best checkpoint only"
                                   : fmt::format("; chosen: the last {}", grouped(choice.saves)));
}

// Of a loss. A perplexity is infinite where the loss is finite still.
bool is_no_loss(const nn::MetricScore& score) {
  if (score.higher_is_better) return false;
  return std::isnan(score.value) || (std::isinf(score.value) && score.metric.starts_with("ce-"));
}

// The last update before a save has moved the weights, and no loss has seen them yet: what
// multiplies them must not overflow.
void check_finite(const nn::TensorMap& model) {
  for (const auto& [name, tensor] : model) {
    const std::span values(tensor.data<float>(), static_cast<size_t>(tensor.numel()));
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value * value); }))
      fail(ErrorKind::diverged, "the weights {} are infinite, or too large to compute with", name);
  }
}

class TrainingRun final : public nn::TrainingTask {
 public:
  TrainingRun(TrainingInputs inputs, Collective& ranks);

  int run();

  PackedBatch next_batch() override { return setup_.batches.next(); }
  BatchSize skip_batch() override { return setup_.batches.skip(); }
  void locate(nn::TrainingState& state) const override;
  std::vector<nn::MetricScore> validate(const nn::TrainingState& state) override;
  void save(const nn::TrainingState& state, nn::SaveKind kind) override;
  void mark_best(const nn::TrainingState& state) override;
  std::optional<nn::TrainingState> roll_back(int64_t update) override;
  void on_update(const nn::TrainingState& state, const nn::UpdateResult& result) override {
    report_.update(state, result);
  }
  void on_report(const nn::TrainingState& state, const nn::UpdateResult& result) override {
    report_.report(state, result);
  }
  void on_epoch(const nn::TrainingState& state) override { report_.epoch(state); }
  void on_validation(const nn::TrainingState& state, const std::vector<nn::MetricScore>&,
                     bool best) override {
    report_.validation(state, validation_, best);
  }
  void on_rate_cut(const nn::TrainingState& state, double rate) override { report_.rate_cut(state, rate); }
  void on_warning(const std::string& text) override { report_.warn(text); }

 private:
  int begin_and_train();
  void describe();
  void take_folder();
  using Load = std::function<std::optional<nn::Checkpoint>()>;
  std::optional<nn::Checkpoint> load_together(const Load& load, const std::string& name);
  bool resume_or_begin();  // whether there is nothing left to do
  void restore(const nn::Checkpoint& checkpoint, const std::string& where);
  void keep_tokenizer(const nn::KeyValues& saved);
  void warn_of_other_machine(const nn::KeyValues& saved);
  void forget_what_is_of_others(const nn::KeyValues& saved);
  void take_up(const nn::KeyValues& state);
  bool take_up_ending(const nn::Checkpoint& latest);
  void go_on_behind_end();
  std::string finished_line() const;
  void begin_files();
  std::string same_command() const;
  std::string where_to_go_on() const;
  void mark_in_folder(const nn::TrainingState& state);
  void initialise();
  void warn_of_memory();
  nn::Ending train();
  void finish(nn::Ending ending);
  void conclude(nn::Ending ending);
  void say_best();
  nn::Checkpoint final_model();
  void choose_saves(nn::Checkpoint& model);
  void use(const nn::Checkpoint& model);
  void score();
  std::vector<std::string> hints() const;
  void write(const nn::Checkpoint& saved, const nn::TrainingState& state, nn::SaveKind kind);

  TrainingInputs inputs_;
  Collective& ranks_;
  const TrainingOptions& options_;
  const std::string run_;
  TrainingSetup setup_;
  const std::optional<int64_t> available_;  // bytes, before model_ has taken its own
  TrainedModel model_;
  Pretrained pretrained_;  // of --pretrained-model
  nn::TrainingState state_;
  RunReport report_;
  std::unique_ptr<nn::RunFolder> folder_;  // the first rank's
  std::unique_ptr<Validator> validator_;   // null without --valid-sets
  ValidationResult validation_;            // the latest
  RunReport::Lengths logs_;                // when state_ was saved
};

TrainingRun::TrainingRun(TrainingInputs inputs, Collective& ranks)
    : inputs_(std::move(inputs)),
      ranks_(ranks),
      options_(inputs_.options),
      run_(options_.saving.model),
      setup_(training_setup(inputs_, ranks)),
      available_(memory::available(setup_.device)),
      model_(setup_),
      report_(options_, setup_.loop, length_of(setup_)) {
  if (inputs_.validation) {
    validator_ = make_validator(options_, *model_.model, model_.arena, inputs_.vocabularies,
                                *inputs_.validation, ranks_);
  }
}

int TrainingRun::run() {
  try {
    return begin_and_train();
  } catch (const Error& error) {
    if (!ranks_.broken()) throw;
    fail(error.kind(), "{}; {}", error.what(), where_to_go_on());
  }
}

int TrainingRun::begin_and_train() {
  if (inputs_.checkpoint) {
    restore(*inputs_.checkpoint, options_.saving.resume);
  } else if (inputs_.start != RunStart::resumed) {
    initialise();
  }
  note_stops();
  take_folder();
  if (resume_or_begin()) return 0;
  finish(train());
  return 0;
}

// What the plan does not know: other programs, and what they will take.
void TrainingRun::warn_of_memory() {
  if (!available_ || setup_.plan.total() <= *available_) return;
  on_warning(fmt::format(
      "up to {} MB will be needed and {} MB are free; --workspace MB, a smaller --mini-batch-words and "
      "--gradient-checkpointing need less",
      setup_.plan.total() >> 20, *available_ >> 20));
}

nn::Ending TrainingRun::train() {
  warn_of_memory();
  try {
    return nn::run_training_loop(model_.trainer, *this, setup_.loop, state_);
  } catch (const Stopped&) {
    report_.draw(state_, "stopped");
    throw;
  } catch (const Error& error) {
    report_.draw(state_, fmt::format("ended by an error: {}", error.what()));
    throw;
  }
}

// That goes on with what is saved: --resume PATH would begin at PATH once more.
std::string TrainingRun::same_command() const {
  return resumes_checkpoint(options_) ? "xformer-train -m " + shell_word(run_) : "the same command";
}

// For who has lost a rank.
std::string TrainingRun::where_to_go_on() const {
  std::error_code none;
  const auto latest = std::filesystem::read_symlink(fmt::format("{}/{}", run_, kLatest), none);
  if (none) return "no checkpoint yet: the same command starts again";
  return fmt::format("{} resumes from {}/{}", same_command(), run_, latest.string());
}

void TrainingRun::take_folder() {
  ranks_.on_rank0([this] {
    folder_ = std::make_unique<nn::RunFolder>(
        run_, [this](const std::string& text) { on_warning(text); }, options_.saving.keep_last);
    if (run_start(options_) == inputs_.start) return;
    fail(ErrorKind::usage, "{}: another trainer used this folder meanwhile; run the same command again",
         run_);
  });
}

// What the first rank finds, the others read from the run folder, where it has that name.
std::optional<nn::Checkpoint> TrainingRun::load_together(const Load& load, const std::string& name) {
  std::optional<nn::Checkpoint> found;
  ranks_.on_rank0([&] { found = load(); });
  int64_t there = found ? 1 : 0;
  ranks_.sum(std::span(&there, 1));
  ranks_.on_all_ranks([&] {
    const std::string path = run_ + "/" + name;
    if (there != 0 && !found) found = name == kLatest ? nn::read_checkpoint(path) : nn::read_model(path);
  });
  if (found) check_same_checkpoint(*found, run_ + "/" + name, ranks_);
  return found;
}

bool TrainingRun::resume_or_begin() {
  std::string from = options_.saving.resume;
  if (inputs_.start == RunStart::resumed && !inputs_.checkpoint) {
    const auto latest = load_together([this] { return folder_->load_latest(); }, kLatest);
    from = run_;
    restore(*latest, run_);
    const bool ended = take_up_ending(*latest);
    if (nn::is_over(setup_.loop, state_) && ended) {
      report_.say(finished_line());
      return true;
    }
    if (ended) go_on_behind_end();
  }
  const std::vector<std::string> table = rank_table(options_.compute, ranks_);
  ranks_.on_rank0([this] { begin_files(); });
  if (inputs_.start == RunStart::resumed || inputs_.checkpoint) {
    if (state_.best_update > 0) mark_best(state_);  // a kill may have come before the link
    report_.say(fmt::format("resumed from update {} of {}", grouped(state_.update), from));
    for (const std::string& note : inputs_.notes) report_.say(note);
  } else {
    describe();
  }
  for (const std::string& line : table) report_.say(line);
  if (inputs_.start != RunStart::resumed && !report_.has_added_format()) {
    for (const std::string& warning : recipe_warnings(inputs_, setup_)) report_.say("warning: " + warning);
  }
  if (report_.lengths().metrics == 0)
    report_.metrics(json_line("begin", beginning_fields(inputs_, setup_, model_.store)));
  report_.draw(state_, "");
  return false;
}

void TrainingRun::begin_files() {
  if (inputs_.start != RunStart::resumed) {
    folder_->clear();
    remove_run_files(run_);
  }
  report_.open(logs_, state_);
  if (!data::has_vocabularies(run_)) inputs_.vocabularies.save(run_);
  atomic_write(run_ + "/training.toml", options_of(options_).to_toml(), Existing::replaced);
  write_origin(run_);
  if (!pretrained_.tensors.empty())
    atomic_write(run_ + "/pretrained.tsv", to_tsv(pretrained_.tensors), Existing::replaced);
}

// The model, the optimiser and where training stood; nothing is written.
void TrainingRun::restore(const nn::Checkpoint& checkpoint, const std::string& where) {
  check_same_text(checkpoint, inputs_, where);
  if (inputs_.start == RunStart::resumed) keep_tokenizer(checkpoint.state);
  load_training(checkpoint, setup_, model_, where);
  take_up(checkpoint.state);
  if (inputs_.start == RunStart::resumed && scored_other_text(checkpoint.state, inputs_))
    on_warning("valid-sets: the text has changed; the best score so far is discarded");
  if (!options_.saving.no_optimizer_reload)
    load_moments(checkpoint, options_, model_.trainer.optimizer(), where);
  model_.trainer.begin_optimizer_behind(state_.optimizer_began);
  const auto threads = checkpoint.state.get<int64_t>("threads");
  if (threads != thread_count()) {
    on_warning(
        fmt::format("the run started with {} and continues with {}: results will differ in their last bits",
                    counted(threads, "thread"), thread_count()));
  }
  warn_of_other_machine(checkpoint.state);
}

// Checkpoints of earlier versions do not say what they were computed with.
void TrainingRun::warn_of_other_machine(const nn::KeyValues& saved) {
  const std::string now = arithmetic(options_.compute);
  const std::string before = saved.has("arithmetic") ? saved.get<std::string>("arithmetic") : now;
  if (before == now) return;
  on_warning(fmt::format(
      "the run was computed with {}, and continues with {}: results will differ in their last bits", before,
      now));
}

// Scores that are compared are of one tokeniser, though another one would fit the references
// better.
void TrainingRun::keep_tokenizer(const nn::KeyValues& saved) {
  const auto before = scoring_tokenizer(saved);
  if (!inputs_.validation || !before || scored_other_text(saved, inputs_)) return;
  data::BleuTokenizer& tokenizer = inputs_.validation->fit.tokenizer;
  if (tokenizer == *before || !options_.validation.tokenize.empty()) return;
  on_warning(fmt::format(
      "BLEU keeps tok:{}, as the run started, though {}; --tokenize {} discards the best score so far",
      data::bleu_tokenizer_name(*before), data::spacing_text(inputs_.validation->fit.spacing),
      data::bleu_tokenizer_name(tokenizer)));
  tokenizer = *before;
}

// Scores of another text are not comparable. And where another folder's run is gone on with, none
// of its saves is in this one, and its loss is not that of a run whose dropout and batches may be
// others.
void TrainingRun::forget_what_is_of_others(const nn::KeyValues& saved) {
  const bool other_text = scored_other_text(saved, inputs_), other_run = inputs_.start != RunStart::resumed;
  if (other_text) state_.plateau = {.scale = state_.plateau.scale};
  if (other_text || other_run) {
    nn::forget_best(state_);
    state_.other_metrics.clear();
  }
  if (!other_run) return;
  state_.saved_at = state_.validated_at = state_.rollbacks = 0;
  state_.first_loss = state_.fast_loss = state_.slow_loss = nn::kNoLoss;
  state_.last_stable_update = state_.update;
  state_.rate_scale = 1;
}

void TrainingRun::take_up(const nn::KeyValues& state) {
  state_ = training_state_of(state);
  logs_ = lengths_of_logs(state);
  forget_what_is_of_others(state);
  // the moments are zero
  if (options_.saving.no_optimizer_reload) state_.optimizer_began = state_.update;
}

// The initial weights, or of --pretrained-model what fits.
void TrainingRun::initialise() {
  model_.model->initialise(model_.store, setup_.seed);
  if (!options_.saving.pretrained_model.empty())
    pretrained_ = begin_pretrained(options_, inputs_.vocabularies, model_.store);
  check_same_weights(model_.store, options_, ranks_);
  if (model_.trainer.smoothing()) model_.trainer.smoothing()->begin();
}

// The last validation and what was logged after it came after the last checkpoint: `averaged` has
// them. A validation that only the end has asked for is logged and counts for nothing where
// training goes on: it would not have been made. Returns whether the run has come to an end there.
bool TrainingRun::take_up_ending(const nn::Checkpoint& latest) {
  const auto average = load_together([this] { return folder_->load_average(); }, "averaged");
  if (!average) return false;
  // It may be of earlier saves. Earlier versions averaged the last ones, and kept no state.
  const bool has_state = average->state.has("update");
  const int64_t ended = has_state ? average->state.get<int64_t>("update") : average->update;
  if (ended != latest.update) return false;
  if (!has_state) {
    logs_ = {kKeepAll, kKeepAll};  // of an earlier version: its logs are left whole
  } else if (nn::reached(setup_.loop, state_) || nn::due(setup_.loop.validate_every, state_)) {
    take_up(average->state);
  } else {
    logs_ = lengths_of_logs(average->state);
  }
  return true;
}

// A save that was not due, and is none of the best, was made because the run ended.
void TrainingRun::go_on_behind_end() {
  const auto is_state = [this](const nn::ScoredSave& save) { return save.update == state_.update; };
  if (nn::due(setup_.loop.save_every, state_) || state_.best_update == state_.update ||
      std::ranges::any_of(state_.runners_up, is_state))
    return;
  ranks_.on_rank0([this] { folder_->unschedule(state_.update); });
}

// With the options that keep it from going on.
std::string TrainingRun::finished_line() const {
  const int64_t patience = setup_.loop.early_stopping, stalled = nn::stalled(setup_.loop, state_);
  const bool has_stalled = patience > 0 && stalled >= patience, reached = nn::reached(setup_.loop, state_);
  std::string why, options;
  if (reached) {
    why = ", --after is reached";
    options = " --after N";
  }
  if (has_stalled) {
    why += fmt::format(", no progress in {}", counted(stalled, "validation"));
    options += fmt::format(" --early-stopping {}", 2 * stalled);
  }
  return fmt::format("{} is finished ({}{}); give a larger {} to train on: xformer-train -m {}{}", run_,
                     counted(state_.update, "update"), why,
                     !has_stalled ? "--after"
                     : reached    ? "--after and --early-stopping"
                                  : "--early-stopping, or 0 for none,",
                     shell_word(run_), options);
}

void TrainingRun::describe() {
  for (const std::string& warning : inputs_.warnings) on_warning(warning);
  if (report_.has_added_format())
    return report_.begin_in_added_format(inputs_.vocabularies, model_.store.count());
  for (const std::string& line : beginning_lines(inputs_, setup_, model_.store)) report_.say(line);
  for (const std::string& line : pretrained_.lines) report_.say(line);
  const double epochs = epochs_allowed(options_, inputs_.corpus, ranks_.size());
  for (const std::string& warning : phase_warnings(options_, epochs)) report_.warn(warning);
}

void TrainingRun::locate(nn::TrainingState& state) const {
  state.epoch = setup_.batches.cursor().epoch;
  state.position = setup_.batches.cursor().position;
}

std::vector<nn::MetricScore> TrainingRun::validate(const nn::TrainingState& state) {
  if (!validator_) return {};
  const nn::SmoothedWeights used(model_.trainer.smoothing());
  report_.activity(fmt::format("validating at update {} on {} ...", grouped(state.update),
                               counted(inputs_.validation->corpus.size(), "sentence")));
  validation_ = validator_->validate();
  for (const nn::MetricScore& score : validation_.scores) {
    if (is_no_loss(score)) fail(ErrorKind::diverged, "valid-sets: {} is {}", score.metric, score.value);
  }
  return validation_.scores;
}

void TrainingRun::save(const nn::TrainingState& state, nn::SaveKind kind) {
  const nn::SmoothedWeights used(model_.trainer.smoothing());
  const nn::Checkpoint saved = checkpoint_of(state, report_.lengths(), inputs_, setup_, model_);
  if (kind == nn::SaveKind::scheduled) check_finite(saved.model);
  ranks_.on_rank0([&] { write(saved, state, kind); });
}

void TrainingRun::write(const nn::Checkpoint& saved, const nn::TrainingState& state, nn::SaveKind kind) {
  const int64_t last_stable_update = options_.numerics.rollback ? state.last_stable_update : 0;
  if (kind == nn::SaveKind::scheduled) return folder_->save(saved, last_stable_update);
  report_.clear();
  if (kind == nn::SaveKind::crashed) {
    folder_->save_crashed(saved);
    return report_.say(fmt::format("the current weights: {}/crash", run_));
  }
  folder_->save_interrupted(saved);
  report_.say(fmt::format("saved at update {}; {} resumes from here", grouped(state.update), same_command()));
}

void TrainingRun::mark_best(const nn::TrainingState& state) {
  ranks_.on_rank0([&] { mark_in_folder(state); });
}

void TrainingRun::mark_in_folder(const nn::TrainingState& state) {
  const auto saved = folder_->scheduled();
  const auto is_saved = [&](int64_t update) { return std::ranges::find(saved, update) != saved.end(); };
  std::vector<int64_t> runners_up;
  for (const nn::ScoredSave& save : state.runners_up) {
    if (is_saved(save.update)) runners_up.push_back(save.update);
  }
  if (is_saved(state.best_update)) folder_->mark_best(state.best_update, runners_up);
}

std::optional<nn::TrainingState> TrainingRun::roll_back(int64_t update) {
  const std::optional<nn::Checkpoint> earlier =
      load_together([&] { return folder_->roll_back(update); }, kLatest);
  if (!earlier) return {};
  load_training(*earlier, setup_, model_, run_);
  load_moments(*earlier, options_, model_.trainer.optimizer(), run_);
  nn::TrainingState state = training_state_of(earlier->state);
  model_.trainer.begin_optimizer_behind(state.optimizer_began);
  if (state.best_update > 0) mark_best(state);
  report_.went_back(state);
  return state;
}

void TrainingRun::finish(nn::Ending ending) {
  try {
    conclude(ending);
  } catch (const Stopped&) {
    report_.draw(state_, "stopped before the averaged model was written");
    report_.show("stopped before the averaged model was written; the same command does that");
    throw;
  }
}

// `averaged` is written when everything else is done, so that a run with it has ended: whatever
// comes before, a signal, a kill, a full disk, the same command does all of this again.
void TrainingRun::conclude(nn::Ending ending) {
  report_.clear();
  const char* const how = ending == nn::Ending::stopped_early ? "no more progress" : "done";
  report_.say(
      fmt::format("{} after {}, {}", how, counted(state_.update, "update"), clock_time(state_.seconds)));
  say_best();
  nn::Checkpoint model = final_model();
  if (validator_ || !inputs_.tests.empty()) score();
  report_.draw(state_, ending == nn::Ending::stopped_early ? "finished, no more progress" : "finished");
  if (options_.logging.report) report_.say(fmt::format("report: {}/report.html", run_));
  for (const std::string& hint : hints()) report_.note(hint);
  const nn::KeyValues state = state_to_save(state_, report_.lengths(), inputs_, setup_);
  for (const auto& [key, value] : state.values()) model.state.set(key, value);
  ranks_.on_rank0([&] { folder_->write_average(model); });
  for (const std::string& hint : hints()) report_.show(hint);
}

void TrainingRun::say_best() {
  if (state_.best_update == 0) return;
  if (state_.same_scores < 2) {
    return report_.say(fmt::format("best {} {:.2f} at update {}", state_.best_metric, state_.best_score,
                                   grouped(state_.best_update)));
  }
  report_.warn(fmt::format(
      "{} was {:.2f} in all {} validations and cannot rank checkpoints: the last one counts as best; put "
      "another metric first in --valid-metrics",
      state_.best_metric, state_.best_score, state_.same_scores));
}

std::vector<std::string> TrainingRun::hints() const {
  std::vector<std::string> lines = {use_line(setup_.model.type, run_)};
  if (setup_.model.type != nn::ModelType::translation) return lines;
  lines.push_back(score_line(options_.text.lowercase, data::bleu_tokenizer_name(inputs_.scoring)));
  return lines;
}

// Of all ranks; the first one has read the model.
void TrainingRun::use(const nn::Checkpoint& model) {
  ranks_.on_rank0([&] { nn::load_model(model.model, model_.store, run_); });
  ranks_.broadcast(model_.store.values());
}

// The mean of the saves that validation likes best; without a validation, of the last ones.
nn::Checkpoint TrainingRun::final_model() {
  nn::Checkpoint model;
  ranks_.on_rank0([&] { model = folder_->average(); });
  if (validator_) {
    choose_saves(model);
  } else {
    use(model);
  }
  return model;
}

// `model`: the mean of all that are kept, and then that of those that are chosen. Every rank
// measures, and chooses the same.
void TrainingRun::choose_saves(nn::Checkpoint& model) {
  const std::string& metric = options_.validation.valid_metrics.front();
  std::vector<int64_t> saves;
  if (ranks_.is_first()) saves = model.state.get<std::vector<int64_t>>("averaged");
  std::vector<int64_t> there = {std::ssize(saves),
                                0};  // and whether the best save is there, which a copy may lack
  ranks_.on_rank0([&] { there[1] = state_.best_update > 0 && folder_->holds(state_.best_update) ? 1 : 0; });
  ranks_.sum(std::span(there));
  const auto load = [&](int64_t last) {
    ranks_.on_rank0([&] {
      if (last == 0) model = folder_->average({state_.best_update});
      if (last > 0) model = folder_->average({saves.end() - last, saves.end()});
    });
    use(model);
  };
  const nn::AverageChoice choice = nn::choose_average(
      there[0], there[1] > 0 ? std::optional(state_.best_score) : std::nullopt, higher_is_better(metric),
      [&](int64_t last) {
        report_.activity(fmt::format("measuring the mean of {} ...", counted(last, "checkpoint")));
        load(last);
        return validator_->first_score().value;
      });
  if (choice.saves != choice.tried.back().saves) load(choice.saves);
  report_.say(choice_line(choice, metric, state_));
}

void TrainingRun::score() {
  report_.activity("measuring the averaged model ...");
  if (validator_) report_.averaged(validator_->score());
  for (const TestSet& test : inputs_.tests) {
    const auto measure =
        make_validator(options_, *model_.model, model_.arena, inputs_.vocabularies, *test.set, ranks_);
    report_.tested(test.name, measure->score());
  }
}

}  // namespace

int run_training(TrainingInputs inputs, Collective& ranks) {
  return TrainingRun(std::move(inputs), ranks).run();
}

}  // namespace xf::tools
