// Training that begins with another model's weights (--pretrained-model).
#pragma once

#include <string>
#include <vector>

#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// What became of one tensor of either model.
struct InitialisedTensor {
  enum class What {
    taken,
    reshaped,  // the rows that both have
    fresh,     // the model lacks it, or has it in a shape that does not fit: begins as usual
    left_out,  // this training's model lacks it
  };
  What what;
  std::string name;
  std::string shape, shape_there;  // "" where there is none
  float rate = 1;                  // nn/train/learning_rates.h
};

// Writes the tensors of `from` over the initial values of the store's parameters of the same names:
// whole where the shapes agree; of a matrix with other rows the rows that both have. Error usage,
// naming `where`, if no matrix was taken whole.
std::vector<InitialisedTensor> init_from(const nn::TensorMap& from, const nn::ParameterStore& store,
                                         const std::string& where);

// For the log: a line that counts, and one for each tensor that is not as it was there.
std::vector<std::string> beginning_lines(const std::vector<InitialisedTensor>& tensors,
                                         const std::string& where);
// For a file: a row for each tensor.
std::string to_tsv(const std::vector<InitialisedTensor>& tensors);

struct Pretrained {
  std::vector<InitialisedTensor> tensors;
  std::vector<std::string> lines;  // for the log
};

// init_from() the model of --pretrained-model, and with --extend-vocab rows for the new pieces.
// `vocabularies`: this training's; a classifier's classes may be others, of which those that the
// model has take their rows along. Error data where the vocabularies are not the model's, usage
// where they are not what --extend-vocab makes of those.
Pretrained begin_pretrained(const TrainingOptions& options, const data::Vocabularies& vocabularies,
                            const nn::ParameterStore& store);

}  // namespace xf::tools
