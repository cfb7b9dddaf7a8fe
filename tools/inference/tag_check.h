// Whether lines for a multilingual model begin with a tag that it knows (data/language_tags.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizer.h"

namespace xf::tools {

class TagCheck {
 public:
  explicit TagCheck(const data::Tokenizer& source);

  // What is wrong with the tags of a line, the first time that it is; `where` names the line.
  std::optional<std::string> warning(std::string_view line, const std::string& where);

 private:
  std::string choice() const;

  std::vector<std::string> tags_;  // of the model; of one kind, or none are looked for
  bool told_unknown_ = false, told_missing_ = false;
};

}  // namespace xf::tools
