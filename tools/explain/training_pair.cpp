#include "tools/explain/training_pair.h"
#include "tools/config/program_options.h"

#include "core/error.h"
#include "data/vocabularies.h"
#include "tools/explain/sentence_pair.h"
#include "tools/explain/traced_sentence.h"
#include "tools/formats/print_model.h"

namespace xf::tools::explain {

namespace {

void check_length(int64_t tokens, const LoadedModel& model) {
  const std::string warning = length_warning(model, tokens);
  if (!warning.empty()) fail(ErrorKind::usage, "{}", warning);
}

}  // namespace

TrainingPair::TrainingPair(DType dtype)
    : micro_(std::make_unique<MicroModel>(dtype, 1)), batch_(MicroModel::sentence()) {}

TrainingPair::TrainingPair(const std::string& model, const std::string& source, const std::string& target,
                           DType dtype)
    : loaded_(load_model(model, Device::cpu(), dtype, nn::ParameterStore::Gradients::yes)) {
  loaded_->transformer();  // another model's text is not a pair
  const data::Vocabularies& vocabularies = loaded_->vocabularies;
  batch_ = sentence_pair(data::batch_specials(*vocabularies.source, *vocabularies.target),
                         ids_of(*vocabularies.source, loaded_->pipeline.prepare(source), *loaded_->model),
                         ids_of(*vocabularies.target, loaded_->pipeline.prepare(target), *loaded_->model));
  check_length(batch_.source_tokens, *loaded_);
  check_length(batch_.target_tokens, *loaded_);
}

double TrainingPair::run(autograd::Tape::Mode mode, autograd::TapeObserver* observer) const {
  const Tensor sums = Tensor::zeros({2}, store().dtype());
  nn::Tape tape(arena_, mode);
  tape.observe(observer);
  nn::ForwardContext context{.tape = tape};
  const nn::Variable loss = transformer().loss(context, batch_, Tensor(), sums);
  if (tape.recording()) tape.backward(loss);
  return sums.dtype() == DType::f64 ? sums.data<double>()[0] : static_cast<double>(sums.data<float>()[0]);
}

double TrainingPair::loss() const { return run(autograd::Tape::Mode::inference, nullptr); }

double TrainingPair::accumulate(autograd::TapeObserver* observer) const {
  return run(autograd::Tape::Mode::record, observer);
}

std::string TrainingPair::title() const {
  return fmt::format("{} · {}", loaded_ ? loaded_->folder : "micro-model with random weights",
                     model_line(transformer().config(), store()));
}

TrainingPair training_pair(const PairOptions& options, DType dtype) {
  const bool model = !options.model.empty(), source = !options.source.empty(),
             target = !options.target.empty();
  if (!model && !source && !target) return TrainingPair(dtype);
  if (model && source && target) {
    return {options.model, options.source, options.target, dtype};
  }
  fail(ErrorKind::usage,
       "{} needs all three, a model, "
       "a sentence and its translation (-m RUN \"...\" --target \"...\"), or none",
       options.program);
}

}  // namespace xf::tools::explain
