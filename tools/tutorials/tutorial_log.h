// The lines that two tutorials' training programs print, number for number as Python prints them:
// --log-format tutorial of xformer-train, --output-format tutorial of xformer-translate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tools/report/log_format.h"

namespace xf::tools {

// Python's str() of a float: 0.44, 5.0, 1e-05
std::string python_number(double value);

// step : 0.44 % , loss : 5.123456954956055
// `step` counts from 0 within an epoch of `steps`; the loss is an f32, as PyTorch's is.
std::string step_line(int64_t step, int64_t steps, double loss);

// Losses are means of batches' means. What is not measured has no line.
struct TutorialEpoch {
  int64_t epoch = 0;   // from 1
  double seconds = 0;  // of training and validating
  double training_loss = 0;
  std::optional<double> validation_loss = {}, bleu = {};
};
// Epoch: 1 | Time: 0m 30s
//     Train Loss: 5.123 | Train PPL: 167.839
//     Val Loss: 4.870 |  Val PPL: 130.321
//     BLEU Score: 12.345
std::string epoch_block(const TutorialEpoch& epoch);

// The model has 55,205,037 trainable parameters
std::string parameters_line(int64_t count);

// Ids of <pad>, <s> and </s>, sizes of both vocabularies, a line each; then parameters_line().
struct TutorialStart {
  int64_t pad = 0, bos = 0, eos = 0, source_vocabulary = 0, target_vocabulary = 0, parameters = 0;
};
std::string start_block(const TutorialStart& start);

// source : ... / target : ... / predicted : ... and an empty line
std::string example_block(const std::string& source, const std::string& target, const std::string& predicted);
std::string batch_score_line(double score);  // BLEU SCORE = 13.411727
std::string total_score_line(double score);  // TOTAL BLEU SCORE = 13.411727

std::shared_ptr<const LogFormat> make_tutorial_log();

}  // namespace xf::tools
