// xformer-translate: lines in, their translations out, one for one.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/folder_entries.h"
#include "core/stop.h"
#include "data/text_file.h"
#include "tools/app/ranks.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/line_errors.h"
#include "tools/console/line_progress.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/console/terminal.h"
#include "tools/console/unfinished_output.h"
#include "tools/formats/import_model.h"
#include "tools/inference/model_translator.h"
#include "tools/inference/tag_check.h"
#include "tools/inference/translation_form.h"
#include "tools/inference/translation_progress.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/tutorials/commands.h"

namespace xf::tools {
namespace {

// Lines that are read, sorted by length and translated together, unless somebody waits at a pipe's
// other end.
constexpr size_t kLinesAtATime = 6400;

// What came of it all, for the standard error. `input`: what was read.
void write_summary(const ModelTranslator& model, const TranslationProgress& progress, bool slow_bf16,
                   const TranslationOptions& options, const std::string& input) {
  const std::string way = model.search.sampling ? fmt::format("sampled with seed {}", model.search.seed)
                                                : fmt::format("beam {}", model.search.beam_size);
  tell("{}, {}, model {}", progress.line(), way, model.name());
  if (slow_bf16) tell("warning: {}", device_line(options.compute));
  for (const std::string& warning : model.model->warnings) tell("warning: {}", warning);
  for (const std::string& warning : warnings(progress.counts(), input)) tell("warning: {}", warning);
}

// What decides about the lines of an output that --continue finishes: the options but for those
// that only say how fast or how loudly, and which files were read.
std::string settings_of(const TranslationOptions& options, const ModelTranslator& model) {
  namespace fs = std::filesystem;
  std::string settings;
  for (const std::string& line : split(options_of(options).to_toml(), '\n')) {
    const auto sets = [&](std::string_view key) { return line.starts_with(std::string(key) + " ="); };
    if (!sets("cpu-threads") && !sets("quiet") && !sets("stat-freq")) settings += line + "\n";
  }
  const auto add_file = [&](const std::string& path) {
    std::error_code unknown;
    settings +=
        fmt::format("{} {} {}\n", fs::weakly_canonical(path, unknown).string(), fs::file_size(path, unknown),
                    fs::last_write_time(path, unknown).time_since_epoch().count());
  };
  // Of a run the weights alone: what lies beside them may come and go. Another toolkit's files have
  // names of their own.
  const auto add_model = [&](const LoadedModel& loaded) {
    const fs::path weights = fs::path(loaded.folder) / "model.safetensors";
    std::error_code none;
    if (fs::exists(weights, none) || !fs::is_directory(loaded.folder, none))
      return add_file(fs::is_directory(loaded.folder, none) ? weights.string() : loaded.folder);
    std::set<std::string> files;
    for (const auto& entry : entries_of(loaded.folder)) {
      if (entry.is_regular_file()) files.insert(entry.path().string());
    }
    for (const std::string& file : files) add_file(file);
  };
  add_file(options.input);
  add_model(*model.model);
  for (const auto& other : model.others) add_model(*other);
  return settings;
}

// Lines of translations to a file that is whole or not there, or to one that a later run finishes.
class TranslationOutput {
 public:
  TranslationOutput(const TranslationOptions& options, const ModelTranslator& model, bool line_by_line) {
    const std::string& path = options.output;
    if (options.continue_) {
      if (options.input == "-") fail(ErrorKind::usage, "continue: give the lines as --input FILE");
      unfinished_.emplace(path, settings_of(options, model));
    } else {
      whole_.emplace(path, line_by_line);
    }
  }
  int64_t lines_done() const { return unfinished_ ? unfinished_->lines_done() : 0; }
  void write_line(const std::string& line) {
    unfinished_ ? unfinished_->write_line(line) : whole_->write_line(line);
  }
  void count(int64_t lines_done) {
    if (unfinished_) unfinished_->count(lines_done);
  }
  void close() { unfinished_ ? unfinished_->close() : whole_->close(); }

 private:
  std::optional<OutputFile> whole_;
  std::optional<UnfinishedOutput> unfinished_;
};

int translate_lines(const TranslationOptions& options) {
  const TranslationForm form(options);
  const ModelTranslator model(options, form.shows_scores());
  const bool quiet = options.quiet, interactive = options.interactive, is_by_hand = is_typed(options.input),
             typed = is_by_hand && !quiet, line_by_line = interactive || somebody_waits(options.input);
  data::LineReader reader(options.input);
  TranslationOutput output(options, model, line_by_line);
  if (typed) tell("type a line to translate it; Ctrl-D ends");
  TranslationProgress progress(options.stat_freq);
  TagCheck tags(*model.text.source);
  LineProgress bar(!quiet && !line_by_line);
  bar.expect_lines_of(options.input);
  bar.skip(output.lines_done());
  std::vector<SourceLine> lines;
  int64_t written = 0;
  const auto found = [&](const Translation& translation, size_t i) {
    const auto line = progress.add(translation, written + static_cast<int64_t>(i) + 1);
    if (line && !quiet) bar.message(*line);
    bar.add();
  };
  for (std::string line; written < output.lines_done() && reader.next(line);) ++written;
  const auto flush = [&] {
    const auto translations = model.translator.translate(lines, static_cast<uint64_t>(written), found);
    bar.clear();
    for (const Translation& translation : translations) {
      for (const std::string& line : form.lines(translation, written)) output.write_line(line);
      ++written;
    }
    output.count(written);
    lines.clear();
  };
  const auto next = [&](std::string& line) {
    if (typed && interactive) fmt::print(stderr, "> ");
    return reader.next(line);
  };
  for (std::string line; next(line);) {
    const bool is_read = answered(interactive || is_by_hand, [&] {
      data::check_utf8(reader.name(), reader.line_number(), line);
      const std::string where = fmt::format("{}:{}", reader.name(), reader.line_number());
      if (const auto doubt = tags.warning(line, where); doubt && !quiet) tell("warning: {}", *doubt);
      lines.push_back(model.source_line(line, where));
    });
    if (!is_read) {  // who waits for an answer gets an empty one
      output.write_line("");
      ++written;
    }
    if (lines.size() >= (line_by_line ? 1 : kLinesAtATime)) flush();
  }
  flush();
  output.close();
  if (typed && interactive) tell("");
  const bool slow_bf16 =
      chosen_dtype(options.compute) == DType::bf16 && !kernels::has_fast_bf16_products(model.device);
  if (!quiet) write_summary(model, progress, slow_bf16, options, reader.name());
  return 0;
}

// A sentence or its file behind -m RUN is no second model.
void check_models(const std::vector<std::string>& models) {
  namespace fs = std::filesystem;
  for (size_t i = 1; i < models.size(); ++i) {
    const std::string& word = models[i];
    std::error_code none;
    const bool is_text = fs::is_regular_file(word, none) || word.find(' ') != std::string::npos;
    if (is_text && !fs::is_directory(word, none) && !exchange::is_foreign(word))
      fail(ErrorKind::usage, "model: '{}' is not a model; text comes from -i FILE or the standard input",
           word);
  }
}

int translate(int argc, char** argv) {
  const auto options = parse_options(TranslationOptions(), argc, argv);
  if (!options) return 0;
  options_of(*options).require("model");
  check_models(options->model);
  watch_signals();
  return !options->teacher_forced.empty() ? tutorials::translate_along_reference(*options)
                                          : translate_lines(*options);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::translate); }
