// Classes of texts: their names, one a line beside a file of texts, and their ids.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer.h"

namespace xf::data {

// A class as it is written in a file, by one rule wherever it is read: in normalisation form C,
// without white space, zero-width characters and controls of direction at its ends. Valid UTF-8.
std::string class_name(std::string_view text);

// The names that occur, in order of their code points; id = place. encode() gives one id, or Error
// data for a name that is none; there are no special tokens. Error data for fewer than two names.
std::unique_ptr<Tokenizer> build_labels(const std::vector<std::string>& lines);

// From the bytes of a file with a name a line, as they stand. Error data for a name that occurs
// twice, or none at all.
std::unique_ptr<Tokenizer> make_labels(const std::string& bytes, const std::string& name);

}  // namespace xf::data
