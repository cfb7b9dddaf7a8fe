// What pages of xformer-explain have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "tools/config/program_options.h"

namespace xf::tools::explain {

constexpr size_t kPageColumns = 100;  // of text

// Letters, each a column.
size_t width_of(const std::string& line);
// Words in lines of at most kPageColumns, each behind `margin` spaces.
std::string wrapped(const std::string& text, size_t margin = 0);

std::vector<int64_t> extents_of(const Shape& shape);
// The page that `json` is. The name of a folder may be no UTF-8: what of it is none becomes U+FFFD.
std::string json_page(const nlohmann::ordered_json& json, int indent = 2);

// Error usage for words on the command line that are no line of UTF-8, which is what text is
// (data/unicode.h).
void check_text(const OptionList& list);

// What blocks show is the arena's: to keep it is to copy it.
Tensor copy_of(const Tensor& value);

}  // namespace xf::tools::explain
