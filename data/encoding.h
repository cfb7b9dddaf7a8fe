// Text files that are not in UTF-8, as ICU's converters know them.
#pragma once

#include <string>
#include <vector>

namespace xf::data {

// As read_lines() (data/text_file.h), of a file in `encoding`: "latin-1", "cp1252", "utf-16",
// "shift_jis", ... Error usage for a name that ICU does not know, data for bytes that are no text
// in it.
std::vector<std::string> read_lines_in(const std::string& encoding, const std::string& path);

}  // namespace xf::data
