// xformer-generate: lines from a language model, each of which goes on from a prompt or begins with
// nothing.
#include <fmt/core.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "data/text_file.h"
#include "nn/decode/text_generator.h"
#include "tools/app/ranks.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/line_errors.h"
#include "tools/console/line_progress.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/console/terminal.h"
#include "tools/formats/loaded_model.h"
#include "tools/inference/continued_text.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {
namespace {

nn::SamplingOptions sampling_options(const GenerationOptions& options, const data::Tokenizer& vocabulary) {
  return {.filter = {.temperature = options.temperature, .top_k = options.top_k, .top_p = options.top_p},
          .max_length = options.max_length,
          .seed = static_cast<uint64_t>(options.seed),
          .bos = vocabulary.bos_id(),
          .eos = vocabulary.eos_id(),
          .unk = vocabulary.unk_id(),
          .pad = vocabulary.pad_id()};
}

// Lines are written together, however many prompts they go on from.
class Writer {
 public:
  Writer(const GenerationOptions& options, const LoadedModel& model, Arena& arena, bool line_by_line,
         LineProgress& progress)
      : options_(options),
        model_(model),
        generator_(model.language_model(), arena, sampling_options(options, *model.vocabularies.target)),
        output_(options.output, line_by_line),
        progress_(progress) {}

  // Error data, which begins with `where`, for a prompt that leaves no room for a token.
  void check(const std::string& prompt, const std::string& where) const {
    const int64_t tokens = std::ssize(ids_of(prompt)), most = generator_.max_length();
    if (tokens < most) return;
    const bool of_model = most < options_.max_length;
    fail(ErrorKind::data, "{}: a prompt of {}; {} has at most {}: {}", where, counted(tokens, "token"),
         of_model ? "a line of this model" : "a line", most,
         of_model ? "shorten the prompt" : "shorten the prompt, or raise --max-length");
  }

  // As often as --samples says.
  void add(const std::string& prompt) {
    const std::vector<int32_t> ids = ids_of(prompt);
    const data::Tokenizer& vocabulary = *model_.vocabularies.target;
    unknown_ += std::ranges::count(ids, vocabulary.unk_id());
    unknown_lines_ += data::is_mostly_unknown(vocabulary, model_.pipeline.prepare(prompt), ids);
    for (int64_t i = 0; i < options_.samples; ++i) {
      texts_.push_back(prompt);
      prompts_.push_back(ids);
      if (std::ssize(prompts_) == options_.mini_batch) flush();
    }
  }

  void add_all(const std::vector<std::string>& prompts) {
    progress_.expect(std::ssize(prompts) * options_.samples);
    for (const std::string& prompt : prompts) add(prompt);
  }

  void flush() {
    if (prompts_.empty()) return;
    check_stop();
    const auto lines = generator_.sample(prompts_, written_);
    progress_.clear();
    for (size_t i = 0; i < lines.size(); ++i) {
      output_.write_line(
          continued_text(texts_[i], lines[i].ids, prompts_[i].size(), *model_.vocabularies.target));
      if (lines[i].cut) cut_.push_back(static_cast<int64_t>(written_ + i) + 1);
    }
    written_ += lines.size();
    progress_.add(std::ssize(lines));
    texts_.clear();
    prompts_.clear();
  }

  void close() {
    flush();
    progress_.clear();
    output_.close();
    if (options_.quiet) return;
    if (unknown_) tell("warning: {} of the prompts unknown to the model", counted(unknown_, "token"));
    if (unknown_lines_) tell("warning: {}", unknown_lines_warning(unknown_lines_));
    if (!cut_.empty())
      tell("warning: {} cut at the length limit ({} of the output)", counted(std::ssize(cut_), "line"),
           numbered_lines(cut_));
  }

 private:
  std::vector<int32_t> ids_of(const std::string& prompt) const {
    return model_.vocabularies.target->encode(model_.pipeline.prepare(prompt));
  }

  const GenerationOptions& options_;
  const LoadedModel& model_;
  nn::TextGenerator generator_;
  OutputFile output_;
  LineProgress& progress_;
  std::vector<std::string> texts_;  // of lines to be written
  std::vector<std::vector<int32_t>> prompts_;
  uint64_t written_ = 0;
  int64_t unknown_ = 0, unknown_lines_ = 0;
  std::vector<int64_t> cut_ = {};  // numbers of lines
};

void read_prompts(const GenerationOptions& options, Writer& writer, bool piped) {
  data::LineReader reader(options.input);
  std::vector<std::string> lines;  // of a file: what is wrong with it is told before any of it is
                                   // answered
  for (std::string line; reader.next(line);) {
    const bool is_sound = answered(is_typed(options.input), [&] {
      data::check_utf8(reader.name(), reader.line_number(), line);
      writer.check(line, fmt::format("{}:{}", reader.name(), reader.line_number()));
    });
    if (!is_sound) continue;
    if (!piped) {
      lines.push_back(line);
      continue;
    }
    writer.add(line);
    writer.flush();
  }
  writer.add_all(lines);
}

int generate(int argc, char** argv) {
  const auto options = parse_options(GenerationOptions(), argc, argv);
  if (!options) return 0;
  options_of(*options).require("model");
  watch_signals();
  set_thread_count(static_cast<int>(options->compute.cpu_threads));
  const Device device = set_up_device(options->compute);
  const auto model = load_model(options->model, device, options->compute);
  Arena arena(device);
  const bool has_input = !options->input.empty(), piped = has_input && somebody_waits(options->input);
  LineProgress progress(!piped && !options->quiet);
  Writer writer(*options, *model, arena, piped, progress);
  if (has_input) {
    read_prompts(*options, writer, piped);
  } else {
    writer.add_all({""});
  }
  writer.close();
  return 0;
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::generate); }
