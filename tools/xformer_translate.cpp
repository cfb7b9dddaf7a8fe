// xformer-translate: lines in, their translations out, one for one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "core/stop.h"
#include "data/compat_bleu.h"
#include "data/text_file.h"
#include "tools/main.h"
#include "tools/model_config.h"
#include "tools/model_translator.h"
#include "tools/output_file.h"
#include "tools/seed_log.h"
#include "tools/teacher_forcing.h"
#include "tools/terminal.h"

namespace xf::tools {
namespace {

// Lines that are read, sorted by length and translated together, unless somebody waits at a pipe's other end.
constexpr size_t kLinesAtATime = 6400;

struct Counts {
  int64_t lines = 0, tokens = 0, cut = 0, cropped = 0;
};

// What is written of a translation; the fields are Marian's.
struct Form {
  bool n_best = false, word_scores = false;
};

// " ||| WordScores= -0.1 -0.2"
std::string word_scores(const nn::Hypothesis& hypothesis) {
  std::string text = " ||| WordScores=";
  for (const double value : hypothesis.token_log_probabilities) text += fmt::format(" {:.6f}", value);
  return text;
}

void write(const Translation& translation, const Form& form, int64_t id, OutputFile& output) {
  const size_t count = form.n_best ? std::max<size_t>(translation.hypotheses.size(), 1) : 1;
  const nn::Hypothesis none;  // of a line without tokens
  for (size_t i = 0; i < count; ++i) {
    const nn::Hypothesis& hypothesis = translation.hypotheses.empty() ? none : translation.hypotheses[i];
    std::string line = translation.texts[i];
    if (form.word_scores) line += word_scores(hypothesis);
    if (form.n_best) {
      line = fmt::format("{} ||| {} ||| F0= {:.6f} ||| {:.6f}", id, line, hypothesis.log_probability,
                         hypothesis.score);
    }
    output.write_line(line);
  }
}

void count(const Translation& translation, Counts& counts) {
  ++counts.lines;
  counts.cropped += translation.cropped;
  if (translation.hypotheses.empty()) return;
  counts.tokens += static_cast<int64_t>(translation.hypotheses.front().ids.size()) + 1;
  counts.cut += translation.hypotheses.front().cut;
}

// Of each batch the first `shown` lines.
void write_examples(const std::vector<ForcedLine>& lines, const data::CompatBleu& score, size_t batch,
                    size_t shown, OutputFile& output) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i % batch < shown)
      output.write_line(example_block(lines[i].source, lines[i].target, lines[i].predicted));
    if ((i + 1) % batch == 0 || i + 1 == lines.size())
      output.write_line(batch_score_line(score.batches[i / batch]));
  }
  output.write_line(total_score_line(score.score));
}

int predict_along_reference(const Options& options) {
  const bool examples = options.get_string("output-format") == "seed";
  if (options.is_given("num-examples") && !examples)
    fail(ErrorKind::usage, "--num-examples is for --output-format seed");
  const ModelTranslator model(options);
  const int64_t batch = options.get_int("mini-batch");
  const data::ParallelText text = data::read_parallel_text(
      options.get_string("input"), options.get_string("teacher-forced"), model.model->pipeline);
  OutputFile output(options.get_string("output"));
  Arena arena(model.device);
  const std::vector<ForcedLine> lines =
      teacher_forced(model.translation, arena, model.model->vocabularies, text.source, text.target, batch);
  std::vector<std::string> predicted, wanted;
  for (const ForcedLine& line : lines) {
    predicted.push_back(line.predicted);
    wanted.push_back(line.target);
  }
  const data::CompatBleu score = data::compat_bleu(predicted, wanted, batch);
  if (examples) {
    const int64_t shown = options.is_set("num-examples") ? options.get_int("num-examples") : batch;
    write_examples(lines, score, static_cast<size_t>(batch), static_cast<size_t>(shown), output);
  } else {
    for (const std::string& line : predicted) output.write_line(line);
  }
  output.close();
  if (!options.get_bool("quiet"))
    fmt::print(stderr, "{} lines along {}, model {}: {}\n", lines.size(), text.target_path, model.name(),
               data::format(score, 2));
  return 0;
}

int translate(int argc, char** argv) {
  const auto options = parse_options(Program::translate, argc, argv);
  if (!options) return 0;
  options->require("model");
  watch_signals();
  if (options->is_set("teacher-forced")) return predict_along_reference(*options);
  for (const char* name : {"output-format", "num-examples"}) {
    if (options->is_given(name)) fail(ErrorKind::usage, "--{} is for --teacher-forced REF", name);
  }
  const ModelTranslator model(*options);
  const Form form{options->get_bool("n-best"), options->get_bool("word-scores")};

  const bool piped = somebody_waits(options->get_string("input"));
  data::LineReader reader(options->get_string("input"));
  OutputFile output(options->get_string("output"), piped);
  if (piped && isatty(STDIN_FILENO) != 0 && !options->get_bool("quiet"))
    fmt::print(stderr, "write a line, and its translation follows; Ctrl-D ends\n");
  Counts counts;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> lines;
  const auto flush = [&] {
    for (const Translation& translation : model.translator.translate(lines)) {
      write(translation, form, counts.lines, output);
      count(translation, counts);
    }
    lines.clear();
  };
  for (std::string line; reader.next(line);) {
    data::check_utf8(reader.name(), reader.line_number(), line);
    lines.push_back(model.model->pipeline.prepare(line));
    if (lines.size() >= (piped ? 1 : kLinesAtATime)) flush();
  }
  flush();
  output.close();
  if (options->get_bool("quiet")) return 0;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print(stderr, "{} lines, {} tokens in {:.1f} s ({:.0f} tokens/s), beam {}, model {}\n", counts.lines,
             counts.tokens, seconds, static_cast<double>(counts.tokens) / seconds, model.search.beam_size,
             model.name());
  if (chosen_dtype(*options) == DType::bf16 && !kernels::has_bf16_products(model.device))
    fmt::print(stderr, "warning: {}\n", device_line(*options));
  if (counts.cut)
    fmt::print(stderr, "warning: {} translations reached the length limit and were cut\n", counts.cut);
  if (counts.cropped)
    fmt::print(stderr, "warning: {} lines were too long to read and were cropped\n", counts.cropped);
  return 0;
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, xf::tools::translate); }
