#include <fmt/format.h>

#include "core/checksum.h"
#include "core/file.h"
#include "core/stop.h"
#include "tools/training_run.h"

namespace xf::tools {

namespace {

std::string hash_of(const data::ParallelText& text) {
  Crc64 crc;
  for (const auto* side : {&text.source, &text.target}) {
    for (const std::string& line : *side) {
      crc.add(line);
      crc.add("\n");
    }
  }
  return fmt::format("{:016x}", crc.value());
}

std::unique_ptr<ValidationSet> read_validation(const Options& options, const TrainingInputs& inputs) {
  const auto& paths = options.get_strings("valid-sets");
  if (paths.empty()) return nullptr;
  auto set = std::make_unique<ValidationSet>();
  set->text = data::read_parallel_text(paths[0], paths[1], inputs.pipeline);
  // Every pair is validated on, however long.
  set->corpus = data::encode_corpus(set->text, *inputs.vocabularies.source, *inputs.vocabularies.target,
                                    {.max_length = 0});
  return set;
}

}  // namespace

TrainingInputs read_training_inputs(const Options& options, const std::string& run, bool resuming) {
  options.require("train-sets");
  TrainingInputs inputs{.options = options,
                        .pipeline = {.lowercase = options.get_bool("lowercase")},
                        .vocabularies = {},
                        .corpus = {},
                        .validation = nullptr,
                        .data_hash = {}};
  const auto& paths = options.get_strings("train-sets");
  const data::ParallelText text = data::read_parallel_text(paths[0], paths[1], inputs.pipeline);
  check_stop();
  inputs.data_hash = hash_of(text);
  inputs.vocabularies =
      resuming && has_vocabularies(run) ? load_vocabularies(run) : make_vocabularies(options, text);
  check_stop();
  inputs.corpus = data::encode_corpus(
      text, *inputs.vocabularies.source, *inputs.vocabularies.target,
      {.max_length = options.get_int("max-length"), .crop = options.get_bool("max-length-crop")});
  inputs.validation = read_validation(options, inputs);
  if (options.is_set("log")) refuse_input_as_output(options.get_string("log"));
  return inputs;
}

}  // namespace xf::tools
