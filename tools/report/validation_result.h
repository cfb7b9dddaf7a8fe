// What a validation has measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/train/training_loop.h"
#include "tools/report/matrix_picture.h"
#include "tools/report/run_log.h"

namespace xf::tools {

// A sentence of --valid-print and what the model makes of it now.
struct Sample {
  int64_t number = 0;  // in the validation set, from 0
  std::string source, reference, translation;
};

struct ValidationResult {
  std::vector<nn::MetricScore> scores;  // as --valid-metrics lists them
  std::string bleu_signature;           // empty without BLEU
  std::vector<Sample> samples;          // none where the model translates nothing
  std::vector<Gallery> attention;       // of some of the samples, for the report
};

// What is said of the averaged model when a run ends.
struct FinalScore {
  nn::MetricScore score;
  std::string text;            // "beam 5: BLEU = ..."
  std::vector<Field> details;  // of the score, for metrics.jsonl
  std::vector<Gallery> attention = {};
};

}  // namespace xf::tools
