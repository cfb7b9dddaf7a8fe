// Pairs of lines that are made here, and the files of a corpus of them.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xf::data {

using SentencePair = std::pair<std::string, std::string>;  // no newline
using SentencePairs = std::vector<SentencePair>;

// Writes a file for each part and side, named part and end, into `folder`, which is made if it is
// missing; all of them or, if the disk is full, none. Files of these names are replaced. Throws
// Error(resources) if that fails. `more` fills in further pairs of the first part, one at a time,
// until it returns false.
void write_pair_files(const std::string& folder, const std::array<std::string_view, 2>& ends,
                      const std::vector<std::pair<std::string_view, const SentencePairs*>>& parts,
                      const std::function<bool(SentencePair&)>& more = {});

}  // namespace xf::data
