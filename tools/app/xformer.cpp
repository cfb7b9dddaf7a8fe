#include "tools/app/xformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/file.h"
#include "core/parallel.h"
#include "data/text_file.h"
#include "tools/app/export_commands.h"
#include "tools/app/inherited_options.h"
#include "tools/app/train.h"
#include "tools/console/nearest_name.h"
#include "tools/formats/inspect_model.h"
#include "tools/inference/model_translator.h"
#include "tools/inference/score_translations.h"
#include "tools/inference/teacher_forcing.h"
#include "tools/inference/translation_progress.h"
#include "tools/setup/read_training_options.h"
#include "tools/tutorials/register.h"

namespace xf {

namespace {

using Arguments = std::vector<std::string>;

// A command line as main() gets it. Whatever reads a configuration begins here.
std::vector<const char*> words_of(const Arguments& arguments) {
  tutorials::register_all();
  std::vector<const char*> words = {"xformer"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  return words;
}

[[noreturn]] void refuse_answer(std::string_view program) {
  fail(ErrorKind::usage, "--help, --version and the like are for the program {}", program);
}

// Error usage for one of `files`, which say where a program reads and writes, and in which form,
// and are nothing to a call.
void refuse_files(const tools::Configuration& options, std::initializer_list<const char*> files) {
  for (const char* name : files) {
    if (options.is_given(name))
      fail(ErrorKind::usage, "--{} is for the program {}; the library has no such option", name,
           options.program);
  }
}

// The configuration of a program's arguments. Error usage for --help and the like, and as above.
template <typename Config>
Config parsed(const Arguments& arguments, std::initializer_list<const char*> files) {
  Config options;
  const std::vector<const char*> words = words_of(arguments);
  if (tools::read_options(tools::options_of(options), static_cast<int>(words.size()), words.data()))
    refuse_answer(options.program);
  refuse_files(options, files);
  return options;
}

tools::TrainingOptions parsed_training(const Arguments& arguments, std::initializer_list<const char*> files) {
  tools::TrainingOptions options;
  const std::vector<const char*> words = words_of(arguments);
  if (tools::read_training_options(options, static_cast<int>(words.size()), words.data(),
                                   tools::inherited_options))
    refuse_answer(options.program);
  refuse_files(options, files);
  return options;
}

tools::TranslationOptions translating(const std::string& run, const Arguments& options) {
  Arguments arguments = {"--model", run};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return parsed<tools::TranslationOptions>(
      arguments, {"input", "output", "word-scores", "alignment", "interactive", "continue", "stat-freq",
                  "teacher-forced", "output-format", "num-examples"});
}

// Line `number`, from 1, as a file's reader hands it over: without a byte order mark before the
// first line and without the CR of a line end. A line end within it would have made two.
std::string read_line(const char* what, size_t number, std::string_view line) {
  data::check_length(what, static_cast<int64_t>(number), line.size());
  data::check_utf8(what, static_cast<int64_t>(number), line);
  if (line.find('\n') != std::string::npos)
    fail(ErrorKind::data, "{}:{}: a line end within a line; give lines one by one", what, number);
  if (number == 1 && line.starts_with(data::kByteOrderMark)) line.remove_prefix(data::kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(line);
}

Lines read(const Lines& lines, const char* what) {
  Lines texts;
  for (size_t i = 0; i < lines.size(); ++i) texts.push_back(read_line(what, i + 1, lines[i]));
  return texts;
}

Lines prepared(const tools::ModelTranslator& model, const Lines& lines, const char* what) {
  Lines texts;
  for (size_t i = 0; i < lines.size(); ++i) {
    texts.push_back(model.prepared(read_line(what, i + 1, lines[i])));
  }
  return texts;
}

}  // namespace

const char* version() { return XFORMER_VERSION; }

Lines read_lines(const std::string& path) { return data::read_lines(path); }

struct Translator::Implementation {
  Implementation(const std::string& run, const Arguments& options)
      : model(translating(run, options)), warnings(model.model->warnings) {}

  // Another model of this process may have set another number since.
  void take_threads() const {
    if (thread_count() != threads) set_thread_count(threads);
  }

  std::vector<tools::Translation> translate(const Lines& lines) {
    std::vector<tools::SourceLine> sources;
    for (size_t i = 0; i < lines.size(); ++i)
      sources.push_back(
          model.source_line(read_line("translate", i + 1, lines[i]), fmt::format("translate:{}", i + 1)));
    take_threads();
    tools::TranslationCounts counts;
    const auto count = [&](const tools::Translation& translation, size_t i) {
      counts.add(translation, static_cast<int64_t>(i) + 1);
    };
    auto translations = model.translator.translate(sources, 0, count);
    for (std::string& warning : tools::warnings(counts, "those given"))
      warnings.push_back(std::move(warning));
    return translations;
  }

  const tools::ModelTranslator model;
  const int threads = thread_count();
  Lines warnings;  // that nobody has taken yet
};

Translator::Translator(const std::string& run, const Arguments& options)
    : implementation_(std::make_unique<Implementation>(run, options)) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

Lines Translator::translate(const Lines& lines) {
  Lines texts;
  for (tools::Translation& translation : implementation_->translate(lines))
    texts.push_back(std::move(translation.texts.front()));
  return texts;
}

std::vector<std::vector<Hypothesis>> Translator::hypotheses(const Lines& lines) {
  std::vector<std::vector<Hypothesis>> of_lines;
  for (const tools::Translation& translation : implementation_->translate(lines)) {
    std::vector<Hypothesis>& found = of_lines.emplace_back();
    for (size_t i = 0; i < translation.texts.size(); ++i) {
      found.push_back({.text = translation.texts[i]});
      if (i >= translation.hypotheses.size()) continue;  // a line without tokens
      const nn::Hypothesis& hypothesis = translation.hypotheses[i];
      found.back() = {.text = translation.texts[i],
                      .log_probability = hypothesis.log_probability,
                      .score = hypothesis.score,
                      .cut = hypothesis.cut,
                      .cropped = translation.cropped};
    }
  }
  return of_lines;
}

Lines Translator::take_warnings() { return std::exchange(implementation_->warnings, {}); }

std::vector<std::vector<double>> Translator::score(const Lines& sources, const Lines& targets) {
  const tools::ModelTranslator& model = implementation_->model;
  if (sources.size() != targets.size())
    fail(ErrorKind::usage, "score: {} sources, but {} targets", sources.size(), targets.size());
  implementation_->take_threads();
  Arena arena(model.device);
  return tools::log_probabilities(model.translation, arena, model.text,
                                  prepared(model, sources, "score: sources"),
                                  prepared(model, targets, "score: targets"));
}

Score score(const std::string& metric, const Lines& hypotheses, const std::vector<Lines>& references,
            const std::vector<std::string>& options) {
  const std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  if (std::ranges::find(metrics, metric) == metrics.end())
    fail(ErrorKind::usage, "score: no metric '{}'{} (one of {})", metric,
         tools::did_you_mean(metric, metrics), fmt::join(metrics, ", "));
  const auto given = parsed<tools::ScoringOptions>(
      options, {"references", "input", "metrics", "sentence-level", "mini-batch", "score-only", "format",
                "paired-bs", "paired-bs-n", "paired-ar", "paired-ar-n"});
  std::vector<Lines> texts;
  for (const Lines& text : references) texts.push_back(read(text, "score: references"));
  const data::Score found = tools::corpus_score(metric, read(hypotheses, "score: hypotheses"), texts, given);
  return {.name = found.name,
          .value = found.score,
          .signature = tools::signature_of(found, given),
          .text = tools::text_of(found, given)};
}

void train(const std::vector<std::string>& arguments) {
  forget_inputs();
  tools::train(parsed_training(arguments, {"print-model", "vocab-sizes", "runs", "output"}));
}

void export_model(const std::vector<std::string>& arguments) {
  forget_inputs();
  std::vector<std::string> names;
  for (const tools::Command& command : tools::export_commands()) {
    // What these find is printed; inspect() is below.
    if (command.program == "xformer-export inspect" || command.program == "xformer-export diff") continue;
    names.emplace_back(command.name);
    if (arguments.empty() || arguments.front() != command.name) continue;
    const Arguments own(arguments.begin() + 1, arguments.end());
    const std::vector<const char*> words = words_of(own);
    command.run(static_cast<int>(words.size()), words.data(),
                [&](const std::string&) { refuse_answer(command.program); });
    return;
  }
  const std::string name = arguments.empty() ? "" : arguments.front();
  fail(ErrorKind::usage, "export: no command '{}'{} (one of {})", name, tools::did_you_mean(name, names),
       fmt::join(names, ", "));
}

std::string inspect(const std::string& model) { return tools::to_json(tools::inspected(model)); }

}  // namespace xf
