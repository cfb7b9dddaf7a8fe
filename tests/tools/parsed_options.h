// Configurations as a shell would hand their words over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tools/app/inherited_options.h"
#include "tools/config/bench_options.h"
#include "tools/config/explain_options.h"
#include "tools/config/export_options.h"
#include "tools/config/parse_options.h"
#include "tools/config/scoring_options.h"
#include "tools/config/training_options.h"
#include "tools/config/translation_options.h"
#include "tools/config/vocabulary_options.h"

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
inline void parse_any(tools::Program program, const std::vector<std::string>& words) {
  using namespace tools;
  switch (program) {
    case Program::train: parsed_training(words); break;
    case Program::translate: parsed(TranslationOptions(), words); break;
    case Program::generate: parsed(GenerationOptions(), words); break;
    case Program::vocab_train: parsed(VocabularyOptions(), words); break;
    case Program::vocab_stats: parsed(CheckOptions(program), words); break;
    default: fail(ErrorKind::failure, "parse_any: add {}", program_name(program));
  }
}

}  // namespace xf::tests
