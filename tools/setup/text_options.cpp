#include "tools/setup/text_options.h"
#include "tools/config/training_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"

namespace xf::tools {
namespace {

// "de" of "train.de", "train.de.gz" and "train.de.zst"; "" of other names.
std::string language_of(const std::filesystem::path& path) {
  const bool packed = path.extension() == ".gz" || path.extension() == ".zst";
  const std::filesystem::path plain = packed ? path.stem() : path;
  const std::string end = plain.extension().string();
  return end == ".en" || end == ".de" ? end.substr(1) : "";
}

std::string common_language(const TextOptions& options, const std::vector<std::string>& paths, size_t side) {
  const auto& given = options.languages;
  std::string common;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string language =
        given.empty() ? language_of(paths[i]) : given[std::min(side + i, given.size() - 1)];
    if (language.empty()) {
      fail(ErrorKind::usage,
           "{}: --tokenizer {} must know its language; "
           "give --languages, or a file name that ends in .en or .de",
           paths[i], options.tokenizer);
    }
    if (!common.empty() && language != common) {
      fail(ErrorKind::usage,
           "{}: is {}, and {} is {}: --tokenizer {} has rules for each, so make a vocabulary for each (with "
           "xformer-train --joint-vocab=false)",
           paths[i], language, paths.front(), common, options.tokenizer);
    }
    common = language;
  }
  return common;
}

}  // namespace

bool cuts_by_language(const TextOptions& options) {
  return data::added_word_rules().find(options.tokenizer) != nullptr;
}

data::TextPipeline text_pipeline(const TextOptions& options) {
  return {.lowercase = options.lowercase && !cuts_by_language(options)};
}

std::shared_ptr<const data::WordRules> word_rules(const TextOptions& options,
                                                  const std::vector<std::string>& paths, size_t side) {
  const std::string& name = options.tokenizer;
  if (!cuts_by_language(options)) return data::make_word_rules(name);
  return data::make_word_rules(fmt::format("{} {}{}", name, common_language(options, paths, side),
                                           options.lowercase ? " lowercase" : ""));
}

}  // namespace xf::tools
