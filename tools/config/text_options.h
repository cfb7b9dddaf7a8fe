// What --tokenizer, --languages and --lowercase say about the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/word_rules.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

bool uses_spacy(const TextOptions& options);

// What happens to a line before it is encoded. spaCy's rules need capitals: then the tokenizer lower-cases,
// not the pipeline.
data::TextPipeline text_pipeline(const TextOptions& options);

// The rules that --tokenizer names (icu, or spaCy's) for the texts `paths`, of which the first is number
// `side` in --languages. Without that option the names' ends tell the language, .en or .de, also before .gz or .zst.
// Error usage if spaCy's rules are not told the language, or if the texts have two.
std::shared_ptr<const data::WordRules> word_rules(const TextOptions& options,
                                                  const std::vector<std::string>& paths, size_t side = 0);

}  // namespace xf::tools
