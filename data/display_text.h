// Text as a terminal, a message or a drawing may show it: codes that they would obey are written
// out, and the columns that it takes are known. Any bytes may enter.
#pragma once

#include <string>
#include <string_view>

namespace xf::data {

// One line: control characters (C0, DEL, C1), embeddings, overrides and isolates of text direction,
// separators of lines and bytes that are no UTF-8 become \x1b, \u009b, \u202e, \u2028, \xff. The
// marks U+200E and U+200F, which Hebrew and Arabic need, stay.
std::string printable(std::string_view text);

// The same of a page: line feeds and tabs stay. A page of JSON stays JSON, with the same strings.
std::string printable_page(std::string_view text);

// Columns of a terminal: two for a wide character (CJK, emoji), none for one that is combined with
// another.
int display_width(std::string_view text);

// The beginning of `text` that `columns` hold; a character keeps the ones that are combined with
// it.
std::string_view fitting(std::string_view text, int columns);

}  // namespace xf::data
