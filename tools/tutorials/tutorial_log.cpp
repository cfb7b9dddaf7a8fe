#include "tools/tutorials/tutorial_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "tools/console/progress.h"

namespace xf::tools {

namespace {

// The first of the metrics that was measured.
std::optional<double> score_of(const ValidationResult& result, std::initializer_list<const char*> metrics) {
  for (const char* metric : metrics) {
    const auto found = std::ranges::find(result.scores, metric, &nn::MetricScore::metric);
    if (found != result.scores.end()) return found->value;
  }
  return std::nullopt;
}

// In nats a token: some types of models measure its exponential alone.
std::optional<double> validation_loss(const ValidationResult& result) {
  if (const auto loss = score_of(result, {"ce-mean-batches", "ce-mean-words"})) return loss;
  const auto perplexity = score_of(result, {"perplexity"});
  return perplexity ? std::optional(std::log(*perplexity)) : std::nullopt;
}

class TutorialLog final : public LogFormat {
 public:
  std::string reading() const override { return "dataset initializing start"; }
  std::string read() const override { return "dataset initializing done"; }
  std::string beginning(const data::Vocabularies& vocabularies, int64_t parameters) const override {
    const data::Tokenizer &source = *vocabularies.source, &target = *vocabularies.target;
    return start_block(
        {source.pad_id(), source.bos_id(), source.eos_id(), source.size(), target.size(), parameters});
  }
  std::string update(const nn::TrainingState& state, const nn::UpdateResult& result,
                     double updates_per_epoch) const override {
    const double loss = result.loss.smoothed / static_cast<double>(result.loss.tokens);
    return step_line(std::max<int64_t>(state.epoch_loss.updates, 1) - 1, std::llround(updates_per_epoch),
                     loss);
  }
  std::string validation(const nn::TrainingState& state, const ValidationResult& result) const override {
    const nn::EpochLoss& loss = state.epoch_loss;
    return epoch_block({.epoch = state.previous_epoch + 1,
                        .seconds = state.seconds - loss.began,
                        .training_loss = loss.update_means / static_cast<double>(loss.updates),
                        .validation_loss = validation_loss(result),
                        .bleu = score_of(result, {"tutorial-bleu", "bleu"})});
  }
};

}  // namespace

std::string python_number(double value) {
  std::string text = fmt::format("{}", value);  // the shortest that reads back, as Python's
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string step_line(int64_t step, int64_t steps, double loss) {
  const double percent = 100 * (static_cast<double>(step) / static_cast<double>(steps));
  const double rounded = std::stod(fmt::format("{:.2f}", percent));
  return fmt::format("step : {} % , loss : {}", python_number(rounded),
                     python_number(static_cast<double>(static_cast<float>(loss))));
}

std::string epoch_block(const TutorialEpoch& epoch) {
  const auto seconds = static_cast<int64_t>(epoch.seconds);
  std::string text =
      fmt::format("Epoch: {} | Time: {}m {}s\n\tTrain Loss: {:.3f} | Train PPL: {:7.3f}", epoch.epoch,
                  seconds / 60, seconds % 60, epoch.training_loss, std::exp(epoch.training_loss));
  if (const auto loss = epoch.validation_loss)
    text += fmt::format("\n\tVal Loss: {:.3f} |  Val PPL: {:7.3f}", *loss, std::exp(*loss));
  if (epoch.bleu) text += fmt::format("\n\tBLEU Score: {:.3f}", *epoch.bleu);
  return text;
}

std::string parameters_line(int64_t count) {
  return fmt::format("The model has {} trainable parameters", grouped(count));
}

std::string start_block(const TutorialStart& start) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", start.pad, start.bos, start.eos, start.source_vocabulary,
                     start.target_vocabulary, parameters_line(start.parameters));
}

std::string example_block(const std::string& source, const std::string& target,
                          const std::string& predicted) {
  return fmt::format("source : {}\ntarget : {}\npredicted : {}\n", source, target, predicted);
}

std::string batch_score_line(double score) { return fmt::format("BLEU SCORE = {}", python_number(score)); }

std::string total_score_line(double score) {
  return fmt::format("TOTAL BLEU SCORE = {}", python_number(score));
}

std::shared_ptr<const LogFormat> make_tutorial_log() { return std::make_shared<TutorialLog>(); }

}  // namespace xf::tools
