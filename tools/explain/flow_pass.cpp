#include "tools/explain/flow_pass.h"
#include "tools/config/program_options.h"

#include <cmath>

#include "kernels/embedding.h"
#include "tools/explain/output_probabilities.h"

namespace xf::tools::explain {

namespace {

std::vector<std::string> names(const std::vector<std::string>& words, const Tensor& ids) {
  std::vector<std::string> named;
  for (const int32_t id : ids.to_vector<int32_t>()) named.push_back(words[static_cast<size_t>(id)]);
  return named;
}

// What the embedding of a sentence of T words adds for their places [T, D]; undefined where
// positions are rotary.
Tensor added_positions(const nn::TransformerConfig& config, const nn::ParameterStore& store, int64_t T) {
  if (config.rotary_positions) return {};
  if (config.learned_positions)
    return store.find("source_positions.weight").value.to(Device::cpu()).slice_rows(0, T);
  const Tensor sinusoids = Tensor::empty({T, config.dim}, DType::f32);
  kernels::sinusoid_positions(config.positions, sinusoids);
  return sinusoids;
}

// The two terms of the source's embedding, each by the kernel that adds them.
void add_embedding_terms(FlowPass& pass, const nn::ParameterStore& store) {
  const nn::TransformerConfig& config = pass.config;
  const Tensor table =
      store.find(config.tying == nn::Tying::all ? "embedding.weight" : "source_embedding.weight")
          .value.to(Device::cpu());
  const Tensor ids = pass.traced.batch.source_ids.to(Device::cpu()),
               positions = pass.traced.batch.source_positions.to(Device::cpu());
  const Shape shape{ids.numel(), config.dim};
  pass.words = Tensor::empty(shape, DType::f32);
  kernels::embedding_forward(ids, positions, table, Tensor::zeros(shape, DType::f32),
                             std::sqrt(static_cast<float>(config.dim)), {}, pass.words);
  pass.positions = added_positions(config, store, ids.numel());
}

void add_losses(FlowPass& pass) {
  const Tensor& z = pass.traced.find("output", "z").value;
  for (int64_t t = 0; t < z.rows(); ++t) {
    const int32_t target = pass.traced.target_ids[static_cast<size_t>(t)];
    pass.losses.push_back(loss_of(z.slice_rows(t, t + 1), target, 0).plain);
  }
}

}  // namespace

FlowPass micro_pass(FlowTarget target) {
  FlowPass pass;
  pass.model = "a micro-model with random weights";
  pass.vocabulary = MicroModel::target_words;
  const MicroModel model(DType::f32, 2);
  Arena arena(Device::cpu());
  pass.config = model.transformer.config();
  TracedSentence& traced = pass.traced;
  traced.batch = MicroModel::sentence();
  if (target == FlowTarget::greedy) {
    const nn::SearchOptions greedy{.beam_size = 1, .bos = MicroModel::bos, .eos = MicroModel::eos};
    const nn::Search search(model.transformer, arena, greedy);
    traced.batch = MicroModel::sentence(search.translate(traced.batch)[0][0].ids);
  }
  traced.source = names(MicroModel::source_words, traced.batch.source_ids);
  traced.target_in = names(MicroModel::target_words, traced.batch.target_in);
  traced.target_out = names(MicroModel::target_words, traced.batch.target_out);
  traced.target_ids = traced.batch.target_out.to_vector<int32_t>();
  traced.values = traced_values(model.transformer, arena, traced.batch);
  add_embedding_terms(pass, model.store);
  add_losses(pass);
  return pass;
}

FlowPass model_pass(const FlowOptions& options, const std::string& sentence, FlowTarget target) {
  TranslationOptions translation = translation_options(options.model, options.compute);
  if (target == FlowTarget::greedy) translation.beam_size = 1;
  ModelTranslator model(translation);
  FlowPass pass;
  pass.model = model.model->folder;
  pass.config = model.model->transformer().config();
  pass.traced = trace_sentence(model, sentence, "");
  add_embedding_terms(pass, model.model->store);
  add_losses(pass);
  return pass;
}

}  // namespace xf::tools::explain
