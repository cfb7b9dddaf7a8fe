// xformer-export inspect: what a model's file and folder hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/checkpoint/safetensors.h"
#include "tools/config/program_options.h"

namespace xf::tools {

struct InspectedModel {
  struct Training {
    int64_t update = 0;
    std::vector<int64_t> averaged;  // updates that this is the mean of; empty: of none
    std::string config;             // text of training.toml; of a model that was not trained here,
                                    // of
                                    // model.toml
  };
  struct Vocabulary {
    std::string path, hash, checksum;
    int64_t entries = 0;
  };

  std::string path;  // of the safetensors file
  Crc64 checksum;
  nn::SafetensorsHeader header;
  std::optional<Training> training;      // of a checkpoint; none: a file alone
  std::vector<Vocabulary> vocabularies;  // of the folder or the nearest above it
};

// `path` is a run folder (its averaged model if there is one), a checkpoint, or any safetensors
// file. Error data for what is missing, damaged or does not fit together.
InspectedModel inspected(const std::string& path);

std::string to_text(const InspectedModel& model);
std::string to_json(const InspectedModel& model);

// Prints --model in --format.
void inspect_model(const InspectOptions& options);

}  // namespace xf::tools
