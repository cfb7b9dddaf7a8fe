#include "tools/report/seed_log.h"

#include <fmt/core.h>

#include <cmath>

#include "tools/console/progress.h"

namespace xf::tools {

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

std::string epoch_block(const SeedEpoch& epoch) {
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

std::string start_block(const SeedStart& start) {
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

}  // namespace xf::tools
