// A training's log as another program would write it: --log-format of xformer-train. Libraries
// above add such formats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/registered.h"
#include "data/vocabularies.h"
#include "nn/train/training_loop.h"
#include "tools/config/training_options.h"
#include "tools/report/validation_result.h"

namespace xf::tools {

// Each function returns lines without the last newline.
class LogFormat {
 public:
  virtual ~LogFormat() = default;
  // Before the texts are read, and after.
  virtual std::string reading() const = 0;
  virtual std::string read() const = 0;
  // parameters: how many numbers are trained.
  virtual std::string beginning(const data::Vocabularies& vocabularies, int64_t parameters) const = 0;
  virtual std::string update(const nn::TrainingState& state, const nn::UpdateResult& result,
                             double updates_per_epoch) const = 0;
  virtual std::string validation(const nn::TrainingState& state, const ValidationResult& result) const = 0;
};

// By the word of --log-format.
Registered<std::shared_ptr<const LogFormat>>& log_formats();

// Null where the log is the engine's own. Error usage if this build has no such format.
const LogFormat* added_log_format(const TrainingOptions& options);

}  // namespace xf::tools
