// Configurations as a shell would hand their words over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tools/app/inherited_options.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/config/training_options.h"
#include "tools/setup/read_training_options.h"

namespace xf::tests {

// The program's name in front.
inline std::vector<const char*> arguments(const std::vector<std::string>& words) {
  std::vector<const char*> all = {"program"};
  for (const std::string& word : words) all.push_back(word.c_str());
  return all;
}

template <typename Config>
Config parsed(Config configuration, const std::vector<std::string>& words) {
  const std::vector<const char*> all = arguments(words);
  return *tools::parse_options(std::move(configuration), static_cast<int>(all.size()), all.data());
}

inline tools::TrainingOptions parsed_training(const std::vector<std::string>& words) {
  const std::vector<const char*> all = arguments(words);
  return *tools::parse_training_options(static_cast<int>(all.size()), all.data(), tools::inherited_options);
}

// For what is wrong with the words.
inline void parse_any(std::string_view program, const std::vector<std::string>& words) {
  using namespace tools;
  if (program == "xformer-train")
    parsed_training(words);
  else if (program == "xformer-translate")
    parsed(TranslationOptions(), words);
  else if (program == "xformer-generate")
    parsed(GenerationOptions(), words);
  else if (program == "xformer-vocab train")
    parsed(VocabularyOptions(), words);
  else if (program == "xformer-vocab stats")
    parsed(CheckOptions(program), words);
  else
    fail(ErrorKind::failure, "parse_any: add {}", program);
}

}  // namespace xf::tests
