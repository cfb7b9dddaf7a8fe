// xformer-classify: lines in, the most probable class of each and its probability out.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/parallel.h"
#include "core/stop.h"
#include "data/parallel_corpus.h"
#include "data/text_file.h"
#include "tools/app/ranks.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/line_errors.h"
#include "tools/console/line_progress.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/terminal.h"
#include "tools/formats/loaded_model.h"
#include "tools/inference/text_classifier.h"
#include "tools/inference/translation_progress.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {
namespace {

constexpr size_t kLinesAtATime = 6400;  // unless somebody waits at a pipe's other end

std::string line_of(const Classification& classification, const data::Tokenizer& labels, bool all) {
  const std::vector<double>& p = classification.probabilities;
  std::vector<int32_t> shown = {classification.best};
  if (all) {
    shown.resize(p.size());
    std::iota(shown.begin(), shown.end(), 0);
    std::ranges::stable_sort(shown, std::greater(), [&](int32_t c) { return p[static_cast<size_t>(c)]; });
  }
  std::string line;
  for (const int32_t c : shown)
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", labels.piece(c), p[static_cast<size_t>(c)]);
  return line;
}

int program(int argc, char** argv) {
  const auto options = parse_options(ClassificationOptions(), argc, argv);
  if (!options) return 0;
  options_of(*options).require("model");
  watch_signals();
  set_thread_count(static_cast<int>(options->compute.cpu_threads));
  const Device device = set_up_device(options->compute);
  const auto model = load_model(options->model, device, options->compute);
  const nn::Classifier& classifier = model->classifier();
  const data::Tokenizer& vocabulary = *model->vocabularies.source;
  Arena arena(device);

  const bool piped = somebody_waits(options->input);
  data::LineReader reader(options->input);
  OutputFile output(options->output, piped);
  data::Sequences texts;
  std::vector<int64_t> cropped;  // numbers of lines
  int64_t unknown = 0;           // lines
  LineProgress progress(!options->quiet && !piped);
  progress.expect_lines_of(options->input);
  const auto flush = [&] {
    const auto classifications = classify(classifier, arena, texts, vocabulary.eos_id(), options->mini_batch,
                                          {}, [&](int64_t lines) { progress.add(lines); });
    progress.clear();
    for (const Classification& classification : classifications) {
      output.write_line(line_of(classification, *model->vocabularies.target, options->all_classes));
    }
    texts = {};
  };
  for (std::string line; reader.next(line);) {
    if (!answered(is_typed(options->input),
                  [&] { data::check_utf8(reader.name(), reader.line_number(), line); }))
      continue;
    const std::string text = model->pipeline.prepare(line);
    std::vector<int32_t> ids = vocabulary.encode(text);
    unknown += data::is_mostly_unknown(vocabulary, text, ids);
    const auto longest = static_cast<size_t>(nn::most_tokens(classifier.config()) - 1);  // and </s>
    if (ids.size() > longest) cropped.push_back(reader.line_number());
    ids.resize(std::min(ids.size(), longest));
    texts.push_back(ids);
    if (static_cast<size_t>(texts.size()) >= (piped ? 1 : kLinesAtATime)) flush();
  }
  flush();
  output.close();
  if (options->quiet) return 0;
  if (!cropped.empty()) tell("warning: {}", cropped_warning(cropped, reader.name()));
  if (unknown) tell("warning: {}", unknown_lines_warning(unknown));
  return 0;
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::program); }
