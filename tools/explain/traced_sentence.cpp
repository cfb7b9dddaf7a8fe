#include "tools/explain/traced_sentence.h"

#include <algorithm>

#include "core/error.h"
#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/console/message.h"
#include "tools/explain/page.h"
#include "tools/explain/sentence_pair.h"

namespace xf::tools::explain {

namespace {

class Recorder : public nn::Trace {
 public:
  explicit Recorder(std::vector<SeenValue>& values) : values_(values) {}
  void value(std::string_view block, std::string_view equation, std::string_view symbol,
             const Tensor& value) override {
    values_.push_back({std::string(block), std::string(equation), std::string(symbol), copy_of(value)});
  }

 private:
  std::vector<SeenValue>& values_;
};

}  // namespace

TranslationOptions translation_options(const std::string& model, const ComputeOptions& compute) {
  TranslationOptions options;
  if (!model.empty()) options.model = {model};
  options.compute = compute;
  return options;
}

const SeenValue& TracedSentence::find(const std::string& block, const std::string& symbol) const {
  for (const SeenValue& seen : values) {
    if (seen.block == block && seen.symbol == symbol) return seen;
  }
  fail(ErrorKind::failure, "no block '{}' showed '{}'", block, symbol);
}

std::vector<SeenValue> traced_values(const nn::TranslationModel& model, Arena& arena,
                                     const PackedBatch& batch) {
  std::vector<SeenValue> values;
  Recorder recorder(values);
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::ForwardContext context{.tape = tape, .trace = &recorder};
  model.logits(context, batch);
  return values;
}

TracedSentence trace_pair(const nn::TranslationModel& model, Arena& arena,
                          const data::Vocabularies& vocabularies, Device device,
                          const std::vector<int32_t>& source_ids, std::vector<int32_t> target_ids) {
  // A translation that a limit cut may have as many tokens as the model reads, and </s> is one
  // more.
  const auto most = static_cast<size_t>(nn::most_tokens(model.config()) - 1);
  target_ids.resize(std::min(target_ids.size(), most));
  const data::Tokenizer &from = *vocabularies.source, &to = *vocabularies.target;
  TracedSentence traced;
  traced.batch = sentence_pair(data::batch_specials(from, to), source_ids, target_ids).to(device);
  traced.translation = to.decode(target_ids);
  traced.source = pieces(from, traced.batch.source_ids.to_vector<int32_t>());
  traced.target_in = pieces(to, traced.batch.target_in.to_vector<int32_t>());
  traced.target_ids = traced.batch.target_out.to_vector<int32_t>();
  traced.target_out = pieces(to, traced.target_ids);
  traced.values = traced_values(model, arena, traced.batch);
  return traced;
}

std::string length_warning(const LoadedModel& model, int64_t tokens) {
  const int64_t most = model.model->config().max_length;
  if (tokens <= most) return "";
  return fmt::format("a sentence of {} tokens; {} was trained on at most {}, </s> counted", tokens,
                     model.folder, most);
}

void warn_of_length(const LoadedModel& model, const std::vector<int32_t>& ids) {
  const std::string warning = length_warning(model, std::ssize(ids) + 1);
  if (!warning.empty()) tell("warning: {}", warning);
}

namespace {

// A side alone.
PackedBatch batch_of(const LoadedModel& model, const std::vector<int32_t>& ids) {
  if (!model.model->config().reads_source()) {
    data::ParallelCorpus corpus;
    corpus.target.push_back(ids);
    const data::Tokenizer& words = *model.vocabularies.target;
    return data::validation_batches(corpus, data::batch_specials(words, words), {}).front().batch;
  }
  data::Sequences texts;
  texts.push_back(ids);
  const int32_t eos = model.vocabularies.source->eos_id();
  return data::translation_batches(texts, eos, std::ssize(ids) + 1, 1).front().batch;
}

}  // namespace

TracedSentence trace_text(const LoadedModel& model, Arena& arena, const std::string& text) {
  const bool classifies = model.model->config().reads_source();
  const data::Tokenizer& vocabulary = classifies ? *model.vocabularies.source : *model.vocabularies.target;
  const std::vector<int32_t> ids = ids_of(vocabulary, model.pipeline.prepare(text), *model.model);
  warn_of_length(model, ids);
  TracedSentence traced;
  traced.batch = batch_of(model, ids).to(arena.device());
  if (classifies) {
    traced.source = pieces(vocabulary, traced.batch.source_ids.to_vector<int32_t>());
  } else {
    traced.target_in = pieces(vocabulary, traced.batch.target_in.to_vector<int32_t>());
    traced.target_ids = traced.batch.target_out.to_vector<int32_t>();
    traced.target_out = pieces(vocabulary, traced.target_ids);
  }
  Recorder recorder(traced.values);
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::ForwardContext context{.tape = tape, .trace = &recorder};
  if (classifies) {
    model.classifier().encode(context, traced.batch, Tensor());
  } else {
    model.language_model().states(context, traced.batch, Tensor());
  }
  return traced;
}

TracedSentence trace_sentence(ModelTranslator& model, const std::string& source, const std::string& target) {
  const data::Vocabularies& vocabularies = model.model->vocabularies;
  const std::string line = model.model->pipeline.prepare(source);
  const std::vector<int32_t> source_ids = ids_of(*vocabularies.source, line, *model.model->model);
  const std::vector<int32_t> target_ids =
      target.empty()
          ? model.translator.translate({line}).front().hypotheses.front().ids
          : ids_of(*vocabularies.target, model.model->pipeline.prepare(target), *model.model->model);
  warn_of_length(*model.model, source_ids);
  if (!target.empty()) warn_of_length(*model.model, target_ids);
  return trace_pair(model.model->translation_model(), model.arena, vocabularies, model.device, source_ids,
                    target_ids);
}

}  // namespace xf::tools::explain
