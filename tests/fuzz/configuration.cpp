// A config file, or a command line, a word a line, where the first begins with "-".
#include "data/unicode.h"
#include "tests/fuzz/target.h"
#include "tools/config/command_line.h"
#include "tools/config/config_file.h"
#include "tools/config/training_options.h"

namespace xf::fuzz {

using namespace tools;

namespace {

std::vector<std::string> words_of(std::string_view bytes) {
  std::vector<std::string> words;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    words.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return words;
}

}  // namespace

void read(std::string_view bytes) {
  const std::string text(bytes);
  TrainingOptions options;
  OptionList list = options_of(options);
  list.apply(text.starts_with('-') ? parse_command_line(list, words_of(bytes))
                                   : parse_config(list, text, "config.toml"),
             OptionList::Origin::user);
  const std::string toml = list.to_toml();
  if (data::first_invalid_utf8(toml))
    return;  // TOML is UTF-8; a training refuses such words (tools/setup/read_training_options.cpp)
  TrainingOptions again;
  OptionList read_back = options_of(again);
  read_back.apply(parse_config(read_back, toml, "again"), OptionList::Origin::user);
  promise(read_back.to_toml() == toml, "a configuration reads back to itself");
}

}  // namespace xf::fuzz
