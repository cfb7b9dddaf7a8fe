#include "tools/xformer.h"

#include <fmt/format.h>

#include "data/text_file.h"
#include "tools/model_translator.h"
#include "tools/train.h"

namespace xf {

namespace {

// parse_options() of a program's arguments, the program's name first.
tools::Options parsed(tools::Program program, const std::vector<std::string>& arguments) {
  std::vector<const char*> words = {"xformer"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  const auto options = tools::parse_options(program, static_cast<int>(words.size()), words.data());
  if (!options) fail(ErrorKind::usage, "--help, --version and the like are for the programs");
  return *options;
}

}  // namespace

struct Translator::Implementation {
  tools::ModelTranslator model;
};

Translator::Translator(const std::string& run, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"--model", run};
  arguments.insert(arguments.end(), options.begin(), options.end());
  implementation_.reset(
      new Implementation{tools::ModelTranslator(parsed(tools::Program::translate, arguments))});
}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  const tools::ModelTranslator& model = implementation_->model;
  std::vector<tools::SourceLine> prepared;
  std::vector<std::string> texts;
  for (size_t i = 0; i < lines.size(); ++i) {
    data::check_utf8("translate", static_cast<int64_t>(i + 1), lines[i]);
    prepared.push_back(model.source_line(lines[i], fmt::format("translate:{}", i + 1)));
  }
  for (const tools::Translation& translation : model.translator.translate(prepared))
    texts.push_back(translation.texts.front());
  return texts;
}

void train(const std::vector<std::string>& arguments) {
  tools::train(parsed(tools::Program::train, arguments));
}

}  // namespace xf
