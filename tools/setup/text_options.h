// What --tokenizer, --languages and --lowercase say about the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/word_rules.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// By rules that are added to data/word_rules.h: spaCy's.
bool cuts_by_language(const TextOptions& options);

// What happens to a line before it is encoded. Rules of a language need capitals: then the
// tokenizer lower-cases, not the pipeline.
data::TextPipeline text_pipeline(const TextOptions& options);

// The rules that --tokenizer names for the texts `paths`, of which the first is number `side` in
// --languages. Without that option the names' ends tell the language, .en or .de, also before .gz
// or .zst. Error usage if rules of a language are not told it, or if the texts have two.
std::shared_ptr<const data::WordRules> word_rules(const TextOptions& options,
                                                  const std::vector<std::string>& paths, size_t side = 0);

}  // namespace xf::tools
