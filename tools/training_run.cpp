#include "tools/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/file.h"
#include "core/parallel.h"
#include "data/bleu.h"
#include "nn/memory_plan.h"
#include "tools/curves.h"
#include "tools/model_config.h"
#include "tools/print_model.h"
#include "tools/validation.h"

namespace xf::tools {

namespace {

constexpr int kMostFailedSaves = 3;  // in a row

// Room over the plan: batches of other shapes than the largest leave gaps between their tensors.
constexpr double kArenaSlack = 1.25;

Terminal display_terminal(const Options& options) {
  Terminal terminal = detect_terminal(stderr);
  if (options.get_string("log-format") == "plain") terminal.redraws = false;
  return terminal;
}

class TrainingRun final : public nn::TrainingTask {
 public:
  explicit TrainingRun(TrainingInputs inputs);

  int run();

  PackedBatch next_batch() override { return batches_.next(); }
  void locate(nn::TrainingState& state) const override;
  std::vector<nn::Score> validate(const nn::TrainingState& state) override;
  void save(const nn::TrainingState& state, nn::SaveKind kind) override;
  void mark_best(const nn::TrainingState& state) override;
  void on_update(const nn::TrainingState& state, const nn::UpdateResult& result) override;
  void on_report(const nn::TrainingState& state, const nn::UpdateResult& result) override;
  void on_validation(const nn::TrainingState& state, const std::vector<nn::Score>& scores,
                     bool best) override;
  void on_warning(const std::string& text) override;

 private:
  void describe();
  void resume_or_begin();
  void restore(const nn::Checkpoint& checkpoint);
  bool has_own_log() const { return !options_.is_set("log"); }  // else the user's file, which is never cut
  void open_logs(int64_t log_bytes, int64_t metrics_bytes);
  void finish(nn::Ending ending);
  void score_average();
  nn::Checkpoint checkpoint(const nn::TrainingState& state) const;
  Progress progress_of(const nn::TrainingState& state, const nn::UpdateResult& result) const;
  void say(const std::string& text);  // display and log

  TrainingInputs inputs_;
  const Options& options_ = inputs_.options;
  std::string run_ = options_.get_string("model");
  nn::LoopOptions loop_ = loop_options(options_);
  data::BatchCapacity capacity_ = data::capacity_for(options_.get_int("mini-batch-words"));
  data::BatchSpecials specials_ =
      data::batch_specials(*inputs_.vocabularies.source, *inputs_.vocabularies.target);
  uint64_t seed_ = static_cast<uint64_t>(options_.get_int("seed"));
  data::TrainingBatches batches_{inputs_.corpus, specials_, capacity_, seed_,
                                 options_.get_string("shuffle") == "data"};
  double updates_per_epoch_ = static_cast<double>(batches_.batches_in_epoch(0)) /
                              static_cast<double>(options_.get_int("optimizer-delay"));
  nn::TransformerConfig config_ =
      model_config(options_, inputs_.vocabularies.source->size(), inputs_.vocabularies.target->size());
  nn::TrainerOptions trainer_options_ = trainer_options(options_, updates_per_epoch_);
  nn::MemoryPlan plan_ =
      nn::plan_memory(config_, {capacity_.source_tokens, capacity_.target_tokens, capacity_.sentences},
                      chosen_dtype(options_));
  Device device_ = chosen_device(options_);
  nn::Registry registry_{chosen_dtype(options_)};
  nn::Transformer model_{config_, registry_};
  Arena arena_{device_, static_cast<int64_t>(kArenaSlack* static_cast<double>(plan_.activations))};
  std::unique_ptr<nn::Trainer> trainer_;
  nn::TrainingState state_;
  ProgressDisplay display_{stderr, display_terminal(options_)};
  std::unique_ptr<nn::RunFolder> folder_;
  std::unique_ptr<LogFile> log_, metrics_;
  std::string log_format_ = options_.get_string("log-format");
  std::unique_ptr<Validator> validator_;  // null without --valid-sets
  ValidationResult validation_;           // the latest
  int failed_saves_ = 0;
};

TrainingRun::TrainingRun(TrainingInputs inputs) : inputs_(std::move(inputs)) {
  registry_.allocate(device_, nn::Registry::Gradients::yes);
  model_.bind(device_);
  trainer_options_.capacity = {capacity_.source_tokens, capacity_.target_tokens, capacity_.sentences};
  trainer_ = std::make_unique<nn::Trainer>(model_, registry_, arena_, trainer_options_);
  if (inputs_.validation) {
    validator_ =
        std::make_unique<Validator>(options_, model_, *trainer_, inputs_.vocabularies, *inputs_.validation);
  }
}

void TrainingRun::say(const std::string& text) {
  if (log_format_ != "none" && log_format_ != "json" && !options_.get_bool("quiet")) display_.message(text);
  if (log_) log_->line(text);
}

void TrainingRun::on_warning(const std::string& text) {
  display_.message("warning: " + text);
  if (log_) log_->line("warning: " + text);
}

int TrainingRun::run() {
  resume_or_begin();
  const int64_t begun_at = state_.update;
  const nn::Ending ending = nn::run_training_loop(*trainer_, *this, loop_, state_);
  if (state_.update == begun_at && folder_->has_average()) {
    say(fmt::format("{} is finished ({} updates); give a larger --after to train on", run_,
                    grouped(state_.update)));
    return 0;
  }
  finish(ending);
  return 0;
}

void TrainingRun::open_logs(int64_t log_bytes, int64_t metrics_bytes) {
  const std::string path = has_own_log() ? run_ + "/train.log" : options_.get_string("log");
  log_ = std::make_unique<LogFile>(path, has_own_log() ? log_bytes : kKeepAll);
  metrics_ = std::make_unique<LogFile>(run_ + "/metrics.jsonl", metrics_bytes);
}

void TrainingRun::resume_or_begin() {
  folder_ = std::make_unique<nn::RunFolder>(
      run_, [this](const std::string& text) { on_warning(text); }, options_.get_int("keep-last"));
  const std::string& resume = options_.get_string("resume");
  std::optional<nn::Checkpoint> found;
  if (resume == "auto") found = folder_->load_latest();
  if (resume != "auto" && resume != "never") found = nn::read_checkpoint(resume);
  if (found) {
    restore(*found);
    if (state_.best_update > 0) mark_best(state_);  // a kill may have come before the link
    say(fmt::format("resumed from update {} of {}", grouped(state_.update),
                    resume == "auto" ? run_ : resume));
  } else {
    open_logs(0, 0);
    registry_.initialise(seed_);
    inputs_.vocabularies.save(run_);
  }
  atomic_write(run_ + "/config.toml", options_.to_toml());
  if (!found) describe();
}

void TrainingRun::restore(const nn::Checkpoint& checkpoint) {
  const std::string data_hash = checkpoint.state.get<std::string>("data_hash");
  if (data_hash != inputs_.data_hash) {
    fail(ErrorKind::usage,
         "train-sets: not the text that {} was trained on so far; give the same files, or another --model",
         run_);
  }
  nn::load_model(checkpoint.model, registry_, run_);
  const auto moment = [&](const char* name) {
    const auto found = checkpoint.optimizer.find(name);
    if (found == checkpoint.optimizer.end())
      fail(ErrorKind::data, "{}: the checkpoint has no optimiser state", run_);
    return found->second;
  };
  trainer_->optimizer().first_moment().copy_from(moment("first_moment"));
  trainer_->optimizer().second_moment().copy_from(moment("second_moment"));
  state_ = nn::training_state_from(checkpoint.state);
  batches_.restore({state_.epoch, state_.position});
  open_logs(checkpoint.state.get<int64_t>("log_bytes"), checkpoint.state.get<int64_t>("metrics_bytes"));
  const auto threads = checkpoint.state.get<int64_t>("threads");
  if (threads != thread_count()) {
    on_warning(fmt::format("the run began with {} threads and goes on with {}: its last bits will differ",
                           threads, thread_count()));
  }
}

void TrainingRun::describe() {
  const data::CorpusStatistics& s = inputs_.corpus.statistics;
  say(fmt::format("xformer {} · {} · {} threads · seed {}", XFORMER_VERSION, device_line(options_),
                  thread_count(), seed_));
  say(fmt::format("train: {} pairs, {} kept, {} empty, {} over {} tokens{}", grouped(s.pairs),
                  grouped(s.kept), grouped(s.dropped_empty), grouped(s.dropped_long),
                  options_.get_int("max-length"),
                  s.cropped ? fmt::format(", {} cropped", grouped(s.cropped)) : ""));
  say(fmt::format(
      "source: {} tokens, longest {}, {:.2f}% unknown · target: {} tokens, longest {}, {:.2f}% unknown",
      grouped(s.source.tokens), s.source.longest, 100 * s.source.unknown_rate(), grouped(s.target.tokens),
      s.target.longest, 100 * s.target.unknown_rate()));
  if (inputs_.validation) say(fmt::format("valid: {} pairs", grouped(inputs_.validation->corpus.size())));
  say(fmt::format("vocabulary: {} source, {} target{}, hash {}", grouped(config_.source_vocabulary),
                  grouped(config_.target_vocabulary), inputs_.vocabularies.joint() ? " (joint)" : "",
                  inputs_.vocabularies.hash()));
  say(model_line(config_, registry_));
  say(memory_line(plan_, capacity_.target_tokens));
  say(fmt::format("{:.1f} updates per epoch", updates_per_epoch_));
  metrics_->line(json_line("begin", {{"pairs", s.kept},
                                     {"parameters", registry_.count()},
                                     {"seed", static_cast<int64_t>(seed_)},
                                     {"threads", int64_t{thread_count()}},
                                     {"vocabulary", inputs_.vocabularies.hash()}}));
}

void TrainingRun::locate(nn::TrainingState& state) const {
  state.epoch = batches_.cursor().epoch;
  state.position = batches_.cursor().position;
}

std::vector<nn::Score> TrainingRun::validate(const nn::TrainingState&) {
  if (!validator_) return {};
  validation_ = validator_->validate();
  return validation_.scores;
}

void TrainingRun::on_validation(const nn::TrainingState& state, const std::vector<nn::Score>& scores,
                                bool best) {
  std::string line = fmt::format("valid · ep {} · up {}", state.epoch, grouped(state.update));
  for (const nn::Score& score : scores) {
    line += fmt::format(" · {} {:.{}f}", score.metric, score.value, score.higher_is_better ? 2 : 4);
    std::vector<Field> fields = {{"update", state.update},
                                 {"epoch", state.epoch},
                                 {"seconds", state.seconds},
                                 {"metric", score.metric},
                                 {"score", score.value}};
    if (score.metric == "bleu") fields.emplace_back("signature", validation_.bleu_signature);
    if (&score == &scores.front()) {
      fields.emplace_back("best", best);
      fields.emplace_back("stalled", state.stalled);
    }
    metrics_->line(json_line("valid", fields));
  }
  line += best ? " · best so far"
               : fmt::format(" · best {:.2f} at update {} · stalled {}/{}", state.best_score,
                             grouped(state.best_update), state.stalled, options_.get_int("early-stopping"));
  say(line);
  for (const std::string& sample : validation_.samples) say(sample);
  write_curves(run_);
}

nn::Checkpoint TrainingRun::checkpoint(const nn::TrainingState& state) const {
  nn::Checkpoint checkpoint;
  checkpoint.update = state.update;
  checkpoint.model = nn::model_of(registry_);
  checkpoint.optimizer = {{"first_moment", trainer_->optimizer().first_moment().to(Device::cpu())},
                          {"second_moment", trainer_->optimizer().second_moment().to(Device::cpu())}};
  checkpoint.metadata = {{"update", std::to_string(state.update)},
                         {"vocabulary", inputs_.vocabularies.hash()}};
  checkpoint.state = nn::to_state(state);
  checkpoint.state.set("seed", static_cast<int64_t>(seed_));
  checkpoint.state.set("threads", int64_t{thread_count()});
  checkpoint.state.set("data_hash", inputs_.data_hash);
  checkpoint.state.set("vocabulary_hash", inputs_.vocabularies.hash());
  checkpoint.state.set("log_bytes", has_own_log() ? log_->bytes() : kKeepAll);
  checkpoint.state.set("metrics_bytes", metrics_->bytes());
  checkpoint.config = options_.to_toml();
  return checkpoint;
}

void TrainingRun::save(const nn::TrainingState& state, nn::SaveKind kind) {
  if (kind == nn::SaveKind::interrupted) {
    folder_->save_interrupted(checkpoint(state));
    say(fmt::format("saved at update {}; the same command goes on from here", grouped(state.update)));
    return;
  }
  try {
    folder_->save(checkpoint(state));
    failed_saves_ = 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resources || ++failed_saves_ >= kMostFailedSaves) throw;
    on_warning(fmt::format("{}; the earlier checkpoints are whole, the next save tries again", error.what()));
  }
}

void TrainingRun::mark_best(const nn::TrainingState& state) {
  const auto saved = folder_->scheduled();
  if (std::ranges::find(saved, state.best_update) != saved.end()) folder_->mark_best(state.best_update);
}

Progress TrainingRun::progress_of(const nn::TrainingState& state, const nn::UpdateResult& result) const {
  Progress progress;
  progress.epoch = state.epoch + (state.position > 0 ? 1 : 0);
  progress.update = state.update;
  for (const nn::Amount& limit : loop_.after) {
    double updates = 0;
    if (limit.unit == nn::Amount::Unit::updates) updates = limit.count;
    if (limit.unit == nn::Amount::Unit::epochs) updates = limit.count * updates_per_epoch_;
    if (updates == 0) continue;
    const auto rounded = static_cast<int64_t>(std::llround(updates));
    progress.last_update = progress.last_update == 0 ? rounded : std::min(progress.last_update, rounded);
  }
  const nn::LossSums& window = state.window.tokens > 0 ? state.window : result.loss;
  const auto tokens = static_cast<double>(std::max<int64_t>(window.tokens, 1));
  progress.loss = window.smoothed / tokens;
  progress.perplexity = std::exp(window.plain / tokens);
  progress.learn_rate = result.learning_rate;
  progress.gradient_norm = result.gradient_norm;
  progress.tokens_per_second = state.window_seconds > 0 ? tokens / state.window_seconds : 0;
  progress.seconds = state.seconds;
  const auto done = nn::progress(loop_, state);
  if (done && *done > 0) progress.seconds_left = state.seconds * (1 - *done) / *done;
  return progress;
}

void TrainingRun::on_update(const nn::TrainingState& state, const nn::UpdateResult& result) {
  if (log_format_ != "none" && log_format_ != "json" && !options_.get_bool("quiet"))
    display_.tick(progress_of(state, result));
}

void TrainingRun::on_report(const nn::TrainingState& state, const nn::UpdateResult& result) {
  const Progress progress = progress_of(state, result);
  const std::string json = json_line("train", {{"update", state.update},
                                               {"epoch", progress.epoch},
                                               {"loss", progress.loss},
                                               {"ppl", progress.perplexity},
                                               {"lr", progress.learn_rate},
                                               {"gnorm", progress.gradient_norm},
                                               {"tok_per_s", std::round(progress.tokens_per_second)},
                                               {"mem_mb", std::round(peak_memory_mb())},
                                               {"seconds", state.seconds}});
  metrics_->line(json);
  log_->line(progress_line(progress));
  if (log_format_ == "json") {
    std::fputs((json + "\n").c_str(), stderr);
  } else if (log_format_ != "none" && !options_.get_bool("quiet")) {
    display_.report(progress);
  }
}

void TrainingRun::finish(nn::Ending ending) {
  display_.clear();
  folder_->write_average();
  write_curves(run_);
  say(fmt::format("{} after {} updates, {}",
                  ending == nn::Ending::stopped_early ? "no progress any more" : "done",
                  grouped(state_.update), clock_time(state_.seconds)));
  if (state_.best_update > 0) {
    say(fmt::format("best {} {:.2f} at update {}", state_.best_metric, state_.best_score,
                    grouped(state_.best_update)));
  }
  if (validator_) score_average();
  say(fmt::format("translate with: xformer-translate -m {} -i FILE -o FILE", run_));
}

void TrainingRun::score_average() {
  nn::load_model(nn::read_model(run_ + "/averaged").model, registry_, run_ + "/averaged");
  const int64_t beam = options_.get_int("beam-size");
  const data::BleuScore bleu = validator_->bleu(validator_->translations(beam));
  say(fmt::format("averaged model, beam {}: {}", beam, data::format(bleu, 2)));
  metrics_->line(json_line("averaged", {{"metric", "bleu"},
                                        {"score", bleu.score},
                                        {"beam", beam},
                                        {"signature", data::signature_text(bleu.signature)}}));
}

}  // namespace

int run_training(TrainingInputs inputs) { return TrainingRun(std::move(inputs)).run(); }

}  // namespace xf::tools
