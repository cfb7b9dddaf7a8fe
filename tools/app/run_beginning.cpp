#include "tools/app/run_beginning.h"
#include "tools/config/training_options.h"
#include "tools/setup/compute_device.h"

#include <fmt/core.h>

#include <map>

#include "core/parallel.h"
#include "tools/config/build_info.h"
#include "tools/console/progress.h"
#include "tools/formats/print_model.h"
#include "tools/setup/model_config.h"

namespace xf::tools {

namespace {

// What is frozen, and what learns at a rate of its own; nothing where all learn alike.
std::vector<std::string> rate_lines(const nn::ParameterStore& store) {
  std::map<float, std::pair<int64_t, int64_t>> by_rate;  // tensors, elements
  for (const nn::Parameter& parameter : store.parameters()) {
    auto& [tensors, elements] = by_rate[parameter.rate];
    ++tensors;
    elements += parameter.shape.numel();
  }
  std::vector<std::string> lines;
  for (const auto& [rate, counts] : by_rate) {
    if (rate == 1) continue;
    lines.push_back(fmt::format(
        "{}: {}, {} of {} parameters", rate == 0 ? "frozen" : fmt::format("learning rate times {}", rate),
        counted(counts.first, "tensor"), grouped(counts.second), grouped(store.count())));
  }
  return lines;
}

// "1,014 pairs; BLEU: case:lc, tok:zh, for the references are written without spaces"
std::string validation_line(const TrainingInputs& inputs, nn::ModelType type, const char* unit) {
  const ValidationSet& set = *inputs.validation;
  std::string line = fmt::format("valid: {}", counted(set.corpus.size(), unit));
  if (type != nn::ModelType::translation) return line;
  line += fmt::format("; BLEU: case:{}, tok:{}", inputs.options.text.lowercase ? "lc" : "mixed",
                      data::bleu_tokenizer_name(set.fit.tokenizer));
  if (set.fit.spacing != data::Spacing::words)
    line += fmt::format(" ({})", data::spacing_text(set.fit.spacing));
  if (set.text.composed > 0)
    line +=
        fmt::format("; {} brought to normalisation form C: nfc:yes", counted(set.text.composed, "reference"));
  return line;
}

// Whether what the model writes has capitals is the task's choice where nobody says.
std::string case_line(const TrainingOptions& options) {
  const std::string how = options.is_given("lowercase")
                              ? "--lowercase"
                              : fmt::format("the task {}; --lowercase=false keeps case", options.task);
  return fmt::format("text: lower-cased, in training and when it is used ({}); scores ignore case{}", how,
                     model_type(options.model) == nn::ModelType::translation ? ": xformer-score -lc" : "");
}

}  // namespace

std::vector<std::string> beginning_lines(const TrainingInputs& inputs, const TrainingSetup& setup,
                                         const nn::ParameterStore& store) {
  const data::CorpusStatistics& s = inputs.corpus.statistics;
  const char* const unit = inputs.corpus.has_source() ? "pair" : "line";
  std::vector<std::string> lines = {
      fmt::format("xformer {} · {} · {} · seed {}", XFORMER_VERSION, device_line(inputs.options.compute),
                  counted(thread_count(), "thread"), setup.seed),
      fmt::format("train: {}, {} kept, {} empty, {} over {} tokens{}", counted(s.pairs, unit),
                  grouped(s.kept), grouped(s.dropped_empty), grouped(s.dropped_long),
                  inputs.options.text.max_length,
                  s.cropped ? fmt::format(", {} cropped", grouped(s.cropped)) : ""),
      tokens_line(setup.model.type, s)};
  if (!inputs.text_note.empty()) lines.insert(lines.begin() + 1, inputs.text_note);
  if (inputs.options.text.lowercase) lines.push_back(case_line(inputs.options));
  if (inputs.validation) lines.push_back(validation_line(inputs, setup.model.type, unit));
  lines.push_back(vocabulary_line(setup.model.type, inputs.vocabularies));
  lines.push_back(model_line(setup.model, store));
  for (std::string& line : rate_lines(store)) lines.push_back(std::move(line));
  lines.push_back(memory_line(setup.plan, setup.trainer.capacity.target_tokens));
  lines.push_back(batches_line(setup, inputs));
  lines.insert(lines.end(), inputs.notes.begin(), inputs.notes.end());
  return lines;
}

std::vector<Field> beginning_fields(const TrainingInputs& inputs, const TrainingSetup& setup,
                                    const nn::ParameterStore& store) {
  const data::CorpusStatistics& s = inputs.corpus.statistics;
  std::vector<Field> fields = {{"read", s.pairs},
                               {"pairs", s.kept},
                               {"empty", s.dropped_empty},
                               {"too_long", s.dropped_long},
                               {"cropped", s.cropped}};
  const auto add_side = [&](const std::string& name, const data::CorpusStatistics::Side& side) {
    if (side.tokens == 0) return;
    fields.emplace_back(name + "_tokens", side.tokens);
    fields.emplace_back(name + "_unknown", side.unknown);
  };
  add_side("source", s.source);
  add_side("target", s.target);
  if (inputs.validation) fields.emplace_back("valid", inputs.validation->corpus.size());
  const std::vector<Field> rest = {{"updates_per_epoch", setup.updates_per_epoch},
                                   {"source_vocabulary", int64_t{inputs.vocabularies.source->size()}},
                                   {"target_vocabulary", int64_t{inputs.vocabularies.target->size()}},
                                   {"parameters", store.count()},
                                   {"seed", static_cast<int64_t>(setup.seed)},
                                   {"threads", int64_t{thread_count()}},
                                   {"vocabulary", inputs.vocabularies.hash()},
                                   {"tokenize", std::string(data::bleu_tokenizer_name(inputs.scoring))},
                                   {"version", std::string(XFORMER_VERSION)},
                                   {"device", device_line(inputs.options.compute)},
                                   {"build", build_line()}};
  fields.insert(fields.end(), rest.begin(), rest.end());
  return fields;
}

}  // namespace xf::tools
