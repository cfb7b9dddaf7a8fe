// A model that xformer-export makes: a folder that stands alone, its vocabularies with it.
#pragma once

#include <functional>
#include <string>

#include "nn/checkpoint/checkpoint.h"

namespace xf::tools {

// The folder `output`, without a slash at its end. Error usage if it is there and is no model that
// --overwrite may replace, and if something lies where nn::write_checkpoint() works.
std::string model_output(const std::string& output, bool overwrite);

// The same for a folder of another kind, which --overwrite may replace if `replaceable` says so.
std::string output_folder(const std::string& output, bool overwrite,
                          const std::function<bool(const std::string& folder)>& replaceable);

// Writes `model` there, with the vocabularies of the folder `vocabularies`, none if that is "".
// Error usage if a file that was read lies there, else as nn::write_checkpoint() has them.
void write_model(const std::string& folder, nn::Checkpoint model, const std::string& vocabularies);

}  // namespace xf::tools
