#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>

#include "core/file.h"
#include "data/vocabularies.h"
#include "tools/app/equal_ranks.h"
#include "tools/app/extended_vocabulary.h"
#include "tools/app/make_vocabularies.h"
#include "tools/app/recipe_fit.h"
#include "tools/app/training_run.h"
#include "tools/app/training_text.h"
#include "tools/app/vocabulary_warnings.h"
#include "tools/config/training_options.h"
#include "tools/console/shell_word.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/model_config.h"
#include "tools/setup/text_options.h"

namespace xf::tools {

namespace {

std::unique_ptr<ValidationSet> read_unseen(const TrainingOptions& options, const data::TextFiles& files,
                                           const TrainingInputs& inputs) {
  auto set = read_validation_set(model_type(options.model), files, inputs.pipeline, inputs.vocabularies,
                                 nn::most_tokens(model_config(options, inputs.vocabularies)) - 1);
  if (!options.validation.tokenize.empty())
    set->fit.tokenizer = data::bleu_tokenizer_from_name(options.validation.tokenize);
  return set;
}

std::unique_ptr<ValidationSet> read_validation(const TrainingOptions& options, const TrainingInputs& inputs) {
  const auto files = texts_of(options, options.data.valid_sets);
  return files.empty() ? nullptr : read_unseen(options, files.front(), inputs);
}

std::vector<TestSet> read_tests(const TrainingOptions& options, const TrainingInputs& inputs) {
  std::vector<TestSet> tests;
  for (const data::TextFiles& files : texts_of(options, options.data.test_sets))
    tests.push_back({text_name(files.paths), read_unseen(options, files, inputs)});
  return tests;
}

// With the pieces of --extend-vocab.
data::Vocabularies extended_as_asked(const TrainingOptions& options, data::Vocabularies vocabularies) {
  if (options.saving.extend_vocab.empty()) return vocabularies;
  if (options.saving.pretrained_model.empty())
    fail(ErrorKind::usage,
         "extend-vocab: extends the vocabulary of --pretrained-model; give that option, or leave this out");
  if (options.regularisation.bpe_dropout > 0)
    fail(ErrorKind::usage, "extend-vocab: its pieces are never cut apart, as bpe-dropout would; choose one");
  return extended(vocabularies, read_pieces(options.saving.extend_vocab, text_pipeline(options.text)));
}

// --vocabs beside vocabularies that are settled: the files may be gone, but not others.
void check_given(const TrainingOptions& options, const data::Vocabularies& settled, const std::string& run,
                 TrainingText& text) {
  const auto& paths = options.data.vocabs;
  const auto is_there = [](const std::string& path) { return std::filesystem::exists(path); };
  if (paths.empty() || !std::ranges::all_of(paths, is_there)) return;
  if (!options.saving.extend_vocab.empty()) return;  // what was extended is not what is given
  if (make_vocabularies(options, text.sample()).checksum() == settled.checksum()) return;
  fail(ErrorKind::usage,
       "vocabs: not the vocabulary that {} was started with; leave it out, or give another --model", run);
}

// Learning is one piece of work for a library: those who wait for it are told meanwhile.
data::Vocabularies learn(const TrainingOptions& options, TrainingText& text, const Announce& announce,
                         Collective& ranks) {
  const data::ParallelText& sample = text.sample();
  // Of several ranks this thread tells those who wait, and the other one tells nobody.
  const auto work = [&] {
    return make_vocabularies(options, sample, ranks.size() > 1 ? Announce{} : announce);
  };
  auto learning = std::async(ranks.size() > 1 ? std::launch::async : std::launch::deferred, work);
  while (ranks.size() > 1 && learning.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    ranks.heartbeat();
  data::Vocabularies learnt = learning.get();
  learnt.sampled = text.sampled();
  return learnt;
}

data::Vocabularies choose_vocabularies(const TrainingOptions& options, RunStart start, TrainingText& text,
                                       const Announce& announce, Collective& ranks) {
  std::string run;
  if (start == RunStart::resumed) run = options.saving.model;
  if (resumes_checkpoint(options)) run = data::find_vocabularies(options.saving.resume);
  if (run.empty() || !data::has_vocabularies(run)) {
    if (options.data.vocabs.empty() && !options.saving.pretrained_model.empty())
      return extended_as_asked(options, read_stored_model(options.saving.pretrained_model).vocabularies);
    if (options.data.vocabs.empty()) announce("learning the vocabulary ...");
    return extended_as_asked(options, learn(options, text, announce, ranks));
  }
  data::Vocabularies settled = data::load_vocabularies(run);
  check_given(options, settled, run, text);
  return settled;
}

// The first rank's, everywhere.
data::Vocabularies shared(data::Vocabularies vocabularies, Collective& ranks) {
  if (ranks.size() == 1) return vocabularies;
  std::map<std::string, std::string> files;
  if (ranks.is_first()) files = vocabularies.files();
  std::istringstream names(ranks.broadcast(fmt::format("{}", fmt::join(std::views::keys(files), "\n"))));
  for (std::string name; std::getline(names, name);) files[name] = ranks.broadcast(files[name]);
  return ranks.is_first() ? vocabularies : data::vocabularies_of(files);
}

void take_from_first(TrainingOptions& options, const char* option, Collective& ranks) {
  const std::string value = ranks.broadcast(options_of(options).at(option).text());
  if (value != options_of(options).at(option).text())
    options_of(options).apply({{option, {value}, option}}, OptionList::Origin::preset);
}

// With the optimiser's state unless that is not wanted. Error data where it is missing.
nn::Checkpoint read_to_go_on(const std::string& path, bool without_optimizer) {
  if (!without_optimizer && std::filesystem::exists(path + "/optimizer.safetensors"))
    return nn::read_checkpoint(path);
  nn::Checkpoint checkpoint = nn::read_model(path);
  nn::check_trainable(checkpoint.model, path);
  if (without_optimizer) return checkpoint;
  if (checkpoint.state.has("averaged") || !checkpoint.state.has("data_hash"))
    fail(ErrorKind::data, "{0} has no optimiser state; --pretrained-model {0} starts from its weights", path);
  fail(
      ErrorKind::data,
      "{} no longer has an optimiser state, which a run's newest two checkpoints keep; --no-optimizer-reload "
      "resumes without",
      path);
}

// That --resume names.
nn::Checkpoint read_resumed(const TrainingOptions& options) {
  const std::string& path = options.saving.resume;
  nn::Checkpoint checkpoint = read_to_go_on(path, options.saving.no_optimizer_reload);
  if (!checkpoint.state.has("data_hash"))
    fail(
        ErrorKind::usage,
        "{}: a model without training state, which cannot be resumed; give a run's checkpoint, or start from "
        "its weights: --pretrained-model {}",
        path, shell_word(path));
  check_same_model(options, checkpoint, path);
  return checkpoint;
}

// By the training text's first lines; nothing where none are in memory.
std::optional<data::FittingTokenizer> fit_to_targets(TrainingText& text) {
  constexpr size_t kLines = 2000;
  const std::span<const std::string> lines = text.sample().target;
  if (lines.empty()) return std::nullopt;
  return data::fitting_bleu_tokenizer(lines.first(std::min(kLines, lines.size())));
}

// How BLEU cuts what is scored.
data::BleuTokenizer scoring_tokenizer(const TrainingInputs& inputs,
                                      const std::optional<data::FittingTokenizer>& of_targets) {
  if (inputs.validation) return inputs.validation->fit.tokenizer;
  if (!inputs.tests.empty()) return inputs.tests.front().set->fit.tokenizer;
  if (!inputs.options.validation.tokenize.empty())
    return data::bleu_tokenizer_from_name(inputs.options.validation.tokenize);
  return of_targets.value_or(data::FittingTokenizer{}).tokenizer;
}

}  // namespace

TrainingInputs read_training_inputs(const TrainingOptions& options, RunStart start, const Announce& announce,
                                    Collective& ranks) {
  TrainingInputs inputs{.options = options,
                        .pipeline = text_pipeline(options.text),
                        .vocabularies = {},
                        .text = {},
                        .corpus = {},
                        .validation = nullptr,
                        .tests = {},
                        .data_hash = {},
                        .text_note = {},
                        .warnings = {},
                        .start = start,
                        .checkpoint = {}};
  std::optional<TrainingText> text;
  ranks.on_all_ranks([&] {
    if (resumes_checkpoint(options)) inputs.checkpoint = read_resumed(options);
    text.emplace(inputs.options, announce);
  });
  if (inputs.checkpoint) check_same_checkpoint(*inputs.checkpoint, options.saving.resume, ranks);
  check_same_preparation(text->is_prepared(), ranks);
  RecipeFit fit(inputs.options, start, ranks.size());
  ranks.on_rank0([&] {
    if (fit.fits()) fit.fit_vocabulary(text->sample());
    inputs.vocabularies = choose_vocabularies(inputs.options, start, *text, announce, ranks);
    if (fit.fits()) fit.fit_length(text->sample(), inputs.vocabularies);
  });
  inputs.vocabularies = shared(std::move(inputs.vocabularies), ranks);
  // What it has fitted; and how often it reports, for which all wait for their devices.
  for (const char* const option : {"vocab-size", "max-length", "disp-freq", "disp-first"})
    take_from_first(inputs.options, option, ranks);
  const auto read = [&] {
    inputs.validation = read_validation(inputs.options, inputs);
    inputs.tests = read_tests(inputs.options, inputs);
    if (model_type(options.model) == nn::ModelType::translation) {
      const auto of_targets = fit_to_targets(*text);
      if (of_targets) inputs.spacing = of_targets->spacing;
      inputs.scoring = scoring_tokenizer(inputs, of_targets);
    }
    TrainingText::Encoded encoded = text->encode(inputs.vocabularies);
    inputs.corpus = std::move(encoded.corpus);
    inputs.text = std::move(encoded.text);
    inputs.data_hash = encoded.hash;
    inputs.text_note = encoded.note;
    if (!options.logging.log.empty()) refuse_input_as_output(options.logging.log);
  };
  // One prepares the text, and all open it.
  if (text->is_prepared()) ranks.on_rank0(read);
  ranks.on_all_ranks([&] {
    if (inputs.data_hash.empty()) read();
  });
  ranks.on_all_ranks([&] { inputs.warnings = vocabulary_warnings(inputs); });
  fit.fit_training(inputs.corpus.statistics);
  if (const std::string line = fit.line(inputs.corpus.statistics); !line.empty())
    inputs.notes.push_back(line);
  return inputs;
}

}  // namespace xf::tools
