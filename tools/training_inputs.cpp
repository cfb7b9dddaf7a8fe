#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/checksum.h"
#include "core/file.h"
#include "tools/text_options.h"
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

// The position table ends somewhere, and the loss is of whole sentences. Named now, not when an epoch is
// done.
void check_lengths(const ValidationSet& set, int64_t longest) {
  const data::ParallelCorpus& corpus = set.corpus;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const bool source = corpus.source.length(i) > longest;
    if (!source && corpus.target.length(i) <= longest) continue;
    fail(ErrorKind::data, "{}:{}: {} tokens; a line to validate on has at most {}: split or remove it",
         source ? corpus.source_path : corpus.target_path, corpus.lines[static_cast<size_t>(i)],
         source ? corpus.source.length(i) : corpus.target.length(i), longest);
  }
}

std::unique_ptr<ValidationSet> read_validation(const Options& options, const TrainingInputs& inputs) {
  const auto& paths = options.get_strings("valid-sets");
  if (paths.empty()) return nullptr;
  auto set = std::make_unique<ValidationSet>();
  set->text = data::read_parallel_text(paths[0], paths[1], inputs.pipeline);
  // Every pair is validated on, however long.
  set->corpus = data::encode_corpus(set->text, *inputs.vocabularies.source, *inputs.vocabularies.target,
                                    {.max_length = 0});
  check_lengths(*set, std::max(nn::Transformer::kMaxPositions - 1, options.get_int("max-length")));
  return set;
}

// --vocabs beside vocabularies that are settled: the files may be gone, but not others.
void check_given(const Options& options, const Vocabularies& settled, const std::string& run) {
  const auto& paths = options.get_strings("vocabs");
  const auto is_there = [](const std::string& path) { return std::filesystem::exists(path); };
  if (paths.empty() || !std::ranges::all_of(paths, is_there)) return;
  if (make_vocabularies(options, {}).checksum() == settled.checksum()) return;
  fail(ErrorKind::usage,
       "vocabs: not the vocabulary that {} was begun with; leave it out, or give another --model", run);
}

Vocabularies choose_vocabularies(const Options& options, RunStart start, const data::ParallelText& text) {
  std::string run;
  if (start == RunStart::resumed) run = options.get_string("model");
  if (resumes_checkpoint(options)) run = find_vocabularies(options.get_string("resume"));
  if (run.empty() || !has_vocabularies(run)) return make_vocabularies(options, text);
  Vocabularies settled = load_vocabularies(run);
  check_given(options, settled, run);
  return settled;
}

}  // namespace

TrainingInputs read_training_inputs(const Options& options, RunStart start) {
  TrainingInputs inputs{.options = options,
                        .pipeline = text_pipeline(options),
                        .vocabularies = {},
                        .corpus = {},
                        .validation = nullptr,
                        .data_hash = {},
                        .start = start,
                        .checkpoint = {}};
  if (resumes_checkpoint(options)) {
    const std::string& path = options.get_string("resume");
    inputs.checkpoint = nn::read_checkpoint(path);
    check_same_model(options, *inputs.checkpoint, path);
  }
  const auto& paths = options.get_strings("train-sets");
  const data::ParallelText text = data::read_parallel_text(paths[0], paths[1], inputs.pipeline);
  inputs.data_hash = hash_of(text);
  inputs.vocabularies = choose_vocabularies(options, start, text);
  inputs.corpus = data::encode_corpus(
      text, *inputs.vocabularies.source, *inputs.vocabularies.target,
      {.max_length = options.get_int("max-length"), .crop = options.get_bool("max-length-crop")});
  inputs.validation = read_validation(options, inputs);
  if (options.is_set("log")) refuse_input_as_output(options.get_string("log"));
  return inputs;
}

}  // namespace xf::tools
