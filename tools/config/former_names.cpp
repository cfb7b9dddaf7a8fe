#include "tools/config/former_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace xf::tools {
namespace {

bool was_called(const Option& option, std::string_view name) {
  const std::vector<std::string> names = split(option.former_names, ' ');
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

const Option* find_of_any_version(const OptionList& list, std::string_view name) {
  if (const Option* const option = list.find(name)) return option;
  const auto found =
      std::ranges::find_if(list, [&](const Option& option) { return was_called(option, name); });
  return found == list.end() ? nullptr : &*found;
}

std::string word_of_today(const Option& option, const std::string& word) {
  for (const std::string& pair : split(option.former_values, ' ')) {
    const size_t sign = pair.find('=');
    if (word == pair.substr(0, sign)) return pair.substr(sign + 1);
  }
  return word;
}

std::vector<std::string> with_names_of_today(const OptionList& list, std::vector<std::string> arguments,
                                             std::vector<std::pair<const Option*, std::string>>& given_as) {
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    const Option* const option = find_of_any_version(list, name);
    if (!option || !was_called(*option, name)) continue;
    given_as.emplace_back(option, "--" + name);
    argument = fmt::format("--{}{}", option->name, argument.substr(2 + name.size()));
  }
  return arguments;
}

void rename_words(const Option& option, GivenOption& given) {
  for (std::string& word : given.words) {
    std::string now = word_of_today(option, word);
    if (now == word) continue;
    given.renamed.push_back(fmt::format("{}: {} is now called {}", given.where, word, now));
    word = std::move(now);
  }
}

}  // namespace xf::tools
