// The text of ids that go on from a given beginning, which stays as it was written.
#pragma once

#include <span>
#include <string>

#include "data/tokenizer.h"

namespace xf::tools {

// `beginning` and what follows it. The first `given` of the ids are those of the beginning: ids say
// neither which letters were capitals nor what an unknown token was.
std::string continued_text(const std::string& beginning, std::span<const int32_t> ids, size_t given,
                           const data::Tokenizer& vocabulary);

}  // namespace xf::tools
