// Man pages and completions agree with the table; what shells make of them:
// tests/e2e/option_pages.sh.
#include "tools/programs/option_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/support/catch.h"
#include "tools/config/command_line.h"
#include "tools/tutorials/commands.h"

using namespace xf::tools;

namespace {

// As a man page writes it.
std::string with_minus_signs(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
  return escaped;
}

std::string fish_name(const std::string& spelling) {
  if (spelling.starts_with("--")) return " -l " + spelling.substr(2);
  return (spelling.size() == 2 ? " -s " : " -o ") + spelling.substr(1);
}

}  // namespace

TEST_CASE("Option pages: every program of the table has its pages", "[unit]") {
  const std::vector<std::string> programs = installed_programs();
  for (const char* program :
       {"xformer-train", "xformer-translate", "xformer-score", "xformer-vocab", "xformer-explain",
        "xformer-generate", "xformer-classify", "xformer-export", "xformer-bench"})
    CHECK(std::ranges::count(programs, program) == 1);
  for (const std::string_view program : all_programs())
    CHECK_FALSE(default_options(program).summary().empty());
}

TEST_CASE("Option pages: every spelling and every word of every option is on every page", "[unit]") {
  for (const std::string& program : installed_programs()) {
    const std::string man = man_page(program), bash = bash_completion(program), zsh = zsh_completion(program),
                      fish = fish_completion(program);
    for (const ProgramCommand& command : commands_of(program)) {
      for (const Option& spec : default_options(command.program)) {
        INFO(program << " " << command.name << " " << spec.name);
        for (const std::string& spelling : spellings_of(spec)) {
          CHECK_THAT(man, Catch::Contains("\\fB" + with_minus_signs(spelling) + "\\fR"));
          CHECK_THAT(bash, Catch::Contains(spelling));
          CHECK_THAT(zsh, Catch::Contains("'*" + spelling + "["));
          CHECK_THAT(fish, Catch::Contains(fish_name(spelling)));
        }
        for (const std::string& word : split(spec.choices, '|'))
          CHECK_THAT(man, Catch::Contains(with_minus_signs(word)));
        for (const std::string& word : values_of(spec)) {
          CHECK_THAT(bash, Catch::Contains(word));
          CHECK_THAT(zsh, Catch::Contains(word));
          CHECK_THAT(fish, Catch::Contains(word));
        }
      }
    }
  }
}

// The words are those that the commands' own errors list.
TEST_CASE("Option pages: every shell offers the words that a command takes first", "[unit]") {
  const std::map<std::string, std::vector<std::string>> some = {
      {"xformer-export to", {"ctranslate2", "hf-marian", "safetensors", "text", "xformer"}},
      {"xformer-explain op", {"softmax", "attention"}},
      {"xformer-explain flow", {"encoder", "decoding"}},
      {"xformer-explain quirk", xf::tutorials::quirk_ids()},
      {"xformer-score ", {"bleu", "chrf", "ter", "tutorial-bleu"}}};
  size_t found = 0;
  for (const std::string& program : installed_programs()) {
    for (const ProgramCommand& command : commands_of(program)) {
      const auto known = some.find(program + " " + command.name);
      const std::vector<std::string> words = first_words(command);
      if (known == some.end()) continue;
      ++found;
      for (const std::string& word : known->second) CHECK(std::ranges::count(words, word) == 1);
      const std::string all = fmt::format("{}", fmt::join(words, " "));
      for (const std::string& page :
           {bash_completion(program), zsh_completion(program), fish_completion(program)})
        CHECK_THAT(page, Catch::Contains(all));
    }
  }
  CHECK(found == some.size());
}

TEST_CASE("Option pages: no line of a man page is a request by accident", "[unit]") {
  for (const std::string& program : installed_programs()) {
    std::string line;
    for (const char c : man_page(program)) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (line.starts_with('.')) {
        const std::string request = line.substr(0, line.find(' '));
        INFO(line);
        CHECK(std::ranges::count(
                  std::vector<std::string>{".TH", ".ad", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"},
                  request) == 1);
      }
      CHECK_FALSE(line.starts_with('\''));
      line.clear();
    }
  }
}
