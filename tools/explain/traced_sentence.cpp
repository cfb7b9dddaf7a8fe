#include "tools/explain/traced_sentence.h"

#include "core/error.h"
#include "data/batches.h"

namespace xf::tools::explain {

namespace {

Tensor copy_of(const Tensor& value) {
  const Tensor copy = Tensor::empty(value.shape(), value.dtype());
  copy.copy_from(value);
  return copy;
}

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

std::vector<std::string> pieces(const data::Tokenizer& vocabulary, const std::vector<int32_t>& ids) {
  std::vector<std::string> names;
  for (const int32_t id : ids) names.push_back(vocabulary.piece(id));
  return names;
}

void check_length(const std::vector<int32_t>& ids, const std::string& line) {
  if (ids.empty()) fail(ErrorKind::usage, "a sentence without tokens ('{}'); give some text", line);
  constexpr auto kMost = static_cast<size_t>(nn::Transformer::kMaxPositions - 1);
  if (ids.size() > kMost)
    fail(ErrorKind::usage, "a sentence of {} tokens; give at most {}", ids.size(), kMost);
}

}  // namespace

Options translation_options(const Options& options) {
  Options translation(Program::translate);
  std::vector<GivenOption> given;
  for (const char* name : {"model", "device", "cpu-threads"}) {
    if (options.is_set(name)) given.push_back({name, {options.text_of(name)}, "the command line"});
  }
  translation.apply(given, Options::Origin::user);
  return translation;
}

const SeenValue& TracedSentence::find(const std::string& block, const std::string& symbol) const {
  for (const SeenValue& seen : values) {
    if (seen.block == block && seen.symbol == symbol) return seen;
  }
  fail(ErrorKind::failure, "no block '{}' showed '{}'", block, symbol);
}

std::vector<SeenValue> traced_values(const nn::Transformer& transformer, Arena& arena,
                                     const PackedBatch& batch) {
  std::vector<SeenValue> values;
  Recorder recorder(values);
  nn::Tape tape(arena, nn::Tape::Mode::inference);
  nn::Step step{.tape = tape, .trace = &recorder};
  const nn::Variable memory = transformer.encode(step, batch, Tensor());
  transformer.logits(step, transformer.decode(step, batch, memory, Tensor()).value());
  return values;
}

TracedSentence trace_sentence(ModelTranslator& model, const std::string& source, const std::string& target) {
  const data::Tokenizer &from = *model.model->vocabularies.source, &to = *model.model->vocabularies.target;
  const std::string line = model.model->pipeline.prepare(source);
  const std::vector<int32_t> source_ids = from.encode(line);
  check_length(source_ids, source);
  const std::vector<int32_t> target_ids =
      target.empty() ? model.translator.translate({line}).front().hypotheses.front().ids
                     : to.encode(model.model->pipeline.prepare(target));
  if (!target.empty()) check_length(target_ids, target);

  data::ParallelCorpus corpus;
  corpus.source.push_back(source_ids);
  corpus.target.push_back(target_ids);
  const auto batches =
      data::validation_batches(corpus, data::batch_specials(from, to), data::BatchCapacity{});

  TracedSentence traced;
  traced.batch = batches.front().batch.to(model.device);
  traced.translation = to.decode(target_ids);
  traced.source = pieces(from, traced.batch.source_ids.to_vector<int32_t>());
  traced.target_in = pieces(to, traced.batch.target_in.to_vector<int32_t>());
  traced.target_ids = traced.batch.target_out.to_vector<int32_t>();
  traced.target_out = pieces(to, traced.target_ids);
  traced.values = traced_values(*model.model->transformer, model.arena, traced.batch);
  return traced;
}

}  // namespace xf::tools::explain
