// xformer-export diff: in what two models differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/formats/stored_model.h"

namespace xf::tools {

struct TensorDifference {
  std::string name;
  std::string a, b;  // type and shape, "F32 [4, 8]"; "": that model lacks it
  // Absolute difference of an element, and norm of the difference / norm of a's; none where types
  // or shapes differ, or one lacks it.
  std::optional<double> largest = {}, relative = {};
};

struct ModelDifferences {
  std::vector<TensorDifference> tensors;       // those that differ
  int64_t compared = 0;                        // that either has
  std::vector<ChangedOption> settings = {};    // of the model and of how its text is cut
  std::vector<std::string> vocabularies = {};  // a sentence for each side that differs
  bool none() const { return tensors.empty() && settings.empty() && vocabularies.empty(); }
};

// Elements that differ by at most `tolerance` count as the same; a NaN differs from any number.
std::vector<TensorDifference> tensor_differences(const nn::TensorMap& a, const nn::TensorMap& b,
                                                 double tolerance);
// In what is of the model itself, and of how its text is cut.
std::vector<ChangedOption> setting_differences(const nn::Checkpoint& a, const std::string& folder_of_a,
                                               const nn::Checkpoint& b, const std::string& folder_of_b);
// Of two models with their settings and vocabularies.
ModelDifferences differences(const StoredModel& a, const StoredModel& b, double tolerance);

// Prints what differs between the two --models, in --format: nothing as text where nothing does. ->
// 1 if anything does, else 0, as diff has it. A safetensors file has tensors alone, and they are
// what is compared.
int diff_models(const DiffOptions& options);

}  // namespace xf::tools
