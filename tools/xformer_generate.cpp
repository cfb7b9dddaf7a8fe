// xformer-generate: lines from a language model, each of which goes on from a prompt or begins with nothing.
#include <fmt/core.h>

#include "core/parallel.h"
#include "core/stop.h"
#include "data/text_file.h"
#include "nn/sampler.h"
#include "tools/loaded_model.h"
#include "tools/model_config.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/ranks.h"

namespace xf::tools {
namespace {

nn::SamplingOptions sampling_options(const Options& options, const data::Tokenizer& vocabulary) {
  return {.drawing = {.temperature = options.get_float("temperature"),
                      .top_k = options.get_int("top-k"),
                      .top_p = options.get_float("top-p")},
          .max_length = options.get_int("max-length"),
          .seed = static_cast<uint64_t>(options.get_int("seed")),
          .bos = vocabulary.bos_id(),
          .eos = vocabulary.eos_id(),
          .unk = vocabulary.unk_id(),
          .pad = vocabulary.pad_id()};
}

// Each prompt as often as --samples says, as ids.
std::vector<std::vector<int32_t>> read_prompts(const Options& options, const LoadedModel& model) {
  std::vector<std::string> lines = {""};
  if (options.is_set("input")) lines = data::read_lines(options.get_string("input"));
  std::vector<std::vector<int32_t>> prompts;
  for (const std::string& line : lines) {
    const auto ids = model.vocabularies.target->encode(model.pipeline.prepare(line));
    prompts.insert(prompts.end(), static_cast<size_t>(options.get_int("samples")), ids);
  }
  return prompts;
}

int generate(int argc, char** argv) {
  const auto options = parse_options(Program::generate, argc, argv);
  if (!options) return 0;
  options->require("model");
  watch_signals();
  set_thread_count(static_cast<int>(options->get_int("cpu-threads")));
  const Device device = set_up_device(*options);
  const auto model = load_model(options->get_string("model"), device, *options);
  const data::Tokenizer& vocabulary = *model->vocabularies.target;
  Arena arena(device);
  const nn::Sampler sampler(model->language_model(), arena, sampling_options(*options, vocabulary));
  const auto prompts = read_prompts(*options, *model);
  OutputFile output(options->get_string("output"));
  const auto at_a_time = static_cast<size_t>(options->get_int("mini-batch"));
  int64_t cut = 0;
  for (size_t begin = 0; begin < prompts.size(); begin += at_a_time) {
    check_stop();
    const size_t end = std::min(prompts.size(), begin + at_a_time);
    const auto from = prompts.begin() + static_cast<std::ptrdiff_t>(begin),
               to = prompts.begin() + static_cast<std::ptrdiff_t>(end);
    for (const nn::SampledLine& line : sampler.sample({from, to}, begin)) {
      output.write_line(vocabulary.decode(line.ids));
      cut += line.cut;
    }
  }
  output.close();
  if (cut && !options->get_bool("quiet"))
    fmt::print(stderr, "warning: {} cut at the length limit\n", counted(cut, "line"));
  return 0;
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::generate); }
