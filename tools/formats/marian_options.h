// The options that a model of Marian was trained with, read strictly: what the engine has no
// counterpart of is refused.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nn/transformer_config.h"

namespace xf::tools::exchange {

class MarianOptions {
 public:
  // Error data as parse_yaml_options() has it.
  MarianOptions(std::string_view yaml, std::string path);

  // The first word of an option; "" where it is missing or empty.
  std::string word(const std::string& name) const;
  // Error data for what is none.
  double number(const std::string& name, double otherwise) const;
  int64_t integer(const std::string& name, int64_t otherwise) const;
  bool flag(const std::string& name) const;
  std::vector<std::string> words(const std::string& name) const;
  const std::string& path() const { return path_; }

  // The names of options of a translation that change its text, but for the beam and the length
  // penalty, and what does the same here: "allow-unk (here --allow-unk)".
  std::vector<std::string> other_search() const;

  // The sizes and kinds, but for vocabularies and tying, which the tensors tell. Error usage "PATH:
  // NAME is WORD; ..." for another model than a Transformer of ours.
  nn::TransformerConfig config() const;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;
  void require(const std::string& name, std::string_view wanted, const std::string& why) const;
  nn::NormPlacement norm() const;
  void refuse_unknown() const;

  std::map<std::string, std::vector<std::string>> options_;
  std::string path_;
};

}  // namespace xf::tools::exchange
