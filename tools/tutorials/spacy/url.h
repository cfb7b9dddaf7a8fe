// Addresses of the web, which stay in one piece.
#pragma once

#include <string_view>

#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::data::spacy {

// Whether all of the text is one, by spaCy's URL_PATTERN (spacy/lang/tokenizer_exceptions.py; after
// Diego Perini's expression, gist.github.com/dperini/729294; both MIT licence). A text too long for
// ICU's matcher is none.
bool is_url(std::u32string_view text, SpacyRules rules);

}  // namespace xf::data::spacy
