// Tags that multilingual models read in front of a sentence, mostly the language to translate into:
// >>fra<< of OPUS-MT, __fr__ of M2M-100, __opt_tgt_fr of OpenNMT, <2fr>, fra_Latn of NLLB, fr_XX of
// mBART.
#pragma once

#include <string_view>

namespace xf::data {

// Whether the entry of a vocabulary has such a form. Words of a text may have it too: only an entry
// that no text is cut into is a tag.
bool looks_like_tag(std::string_view entry);

// The first word of the text if it looks like a tag, or its beginning >>...<<; else "". White space
// in front is passed over.
std::string_view leading_tag(std::string_view text);

}  // namespace xf::data
