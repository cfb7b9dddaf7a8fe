// What a training run says of itself before its first update.
#pragma once

#include <string>
#include <vector>

#include "nn/parameter_store.h"
#include "tools/app/training_setup.h"
#include "tools/report/run_log.h"

namespace xf::tools {

// For people: device, data, vocabulary, model, memory, batches.
std::vector<std::string> beginning_lines(const TrainingInputs& inputs, const TrainingSetup& setup,
                                         const nn::ParameterStore& store);

// For metrics.jsonl and the report: the same in numbers, and the build.
std::vector<Field> beginning_fields(const TrainingInputs& inputs, const TrainingSetup& setup,
                                    const nn::ParameterStore& store);

}  // namespace xf::tools
