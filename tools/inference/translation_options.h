// What the options of xformer-translate say together.
#pragma once

#include "nn/decode/search.h"
#include "tools/config/program_options.h"
#include "tools/config/training_options.h"

namespace xf::tools {

// Error usage, by name, for an option that means nothing beside another, or without it.
void check_translation_options(const TranslationOptions& options);

// What `options` leave open is as in training. `scored`: as in nn::SearchOptions.
nn::SearchOptions search_options(const TranslationOptions& options, const SearchOptions& of_model,
                                 bool scored);

}  // namespace xf::tools
