#include "tools/setup/training_method.h"

#include <fmt/format.h>

#include "core/error.h"
#include "nn/model_variant.h"
#include "nn/train/r_drop.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

nn::TrainingMethod training_method(const TrainingOptions& options, double updates_per_epoch) {
  const double alpha = options.regularisation.r_drop;
  if (alpha == 0) return {};
  return nn::r_drop(alpha, in_updates(options.regularisation.r_drop_after, updates_per_epoch, kMethodBegins));
}

int64_t most_readings(const TrainingOptions& options) { return training_method(options, 1).readings(); }

void check_method(const TrainingOptions& options) {
  const TrainingLength begins = options.regularisation.r_drop_after;
  if (begins.value > 0 && options.regularisation.r_drop == 0)
    fail(ErrorKind::usage, "r-drop-after: says when R-Drop begins; give r-drop, or leave this out");
  check_counts_updates(begins, kMethodBegins);
}

void check_method(const TrainingOptions& options, const nn::TransformerConfig& model) {
  if (options.regularisation.r_drop > 0 && !model.supports(nn::Feature::repeated_loss))
    fail(ErrorKind::usage, "r-drop: a model with {} has its own loss; leave it out", model.variant->name());
}

void check_method_begins(const TrainingOptions& options) {
  const TrainingLength begins = options.regularisation.r_drop_after;
  for (const TrainingLength& end : options.stopping.after) {
    if (options.regularisation.r_drop > 0 && end.unit == begins.unit && end.value <= begins.value)
      fail(ErrorKind::usage, "{}: would begin after {}, and the training ends at {} (after)", kMethodBegins,
           to_string(begins), to_string(end));
  }
}

std::optional<std::string> method_warning(const TrainingOptions& options, double epochs) {
  const TrainingLength begins = options.regularisation.r_drop_after;
  if (options.regularisation.r_drop == 0 || begins.unit != TrainingLength::Unit::epochs ||
      begins.value < epochs)
    return {};
  return fmt::format("r-drop: begins after {:g} epochs, and --after {} ends earlier; lower --r-drop-after",
                     begins.value, options_of(options).at("after").text());
}

}  // namespace xf::tools
