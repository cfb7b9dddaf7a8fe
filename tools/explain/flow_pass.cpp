#include "tools/explain/flow_pass.h"

#include <cmath>

#include "data/batches.h"
#include "kernels/cross_entropy.h"
#include "kernels/embedding.h"

namespace xf::tools::explain {

namespace {

const std::vector<std::string> kSourceWords = {"</s>", "a", "small", "dog", "sleeps"};
const std::vector<std::string> kTargetWords = {"<s>",  "</s>",  "ein",     "kleiner",
                                               "Hund", "Katze", "schläft", "und"};
const std::vector<int32_t> kSource = {1, 2, 3, 4}, kReference = {2, 3, 4, 6};
constexpr data::BatchSpecials kSpecials{.source_eos = 0, .target_bos = 0, .target_eos = 1};
constexpr uint64_t kSeed =
    634;  // of the weights; with these, what the model says ends, and has no word twice

nn::TransformerConfig micro_config() {
  nn::TransformerConfig config;
  config.source_vocabulary = static_cast<int64_t>(kSourceWords.size());
  config.target_vocabulary = static_cast<int64_t>(kTargetWords.size());
  config.dim = 8;
  config.heads = 2;
  config.feed_forward = 16;
  config.encoder_layers = config.decoder_layers = 2;
  return config;
}

PackedBatch batch_of(const std::vector<int32_t>& source, const std::vector<int32_t>& target) {
  data::ParallelCorpus corpus;
  corpus.source.push_back(source);
  corpus.target.push_back(target);
  return data::validation_batches(corpus, kSpecials, data::BatchCapacity{}).front().batch;
}

std::vector<std::string> names(const std::vector<std::string>& words, const Tensor& ids) {
  std::vector<std::string> named;
  for (const int32_t id : ids.to_vector<int32_t>()) named.push_back(words[static_cast<size_t>(id)]);
  return named;
}

// The two terms of the source's embedding, each by the kernel that adds them.
void add_embedding_terms(FlowPass& pass, const nn::Registry& registry) {
  const nn::TransformerConfig& config = pass.config;
  const Tensor table =
      registry.find(config.tying == nn::Tying::all ? "embedding.weight" : "source_embedding.weight")
          .value.to(Device::cpu());
  const Tensor ids = pass.traced.batch.source_ids.to(Device::cpu()),
               positions = pass.traced.batch.source_positions.to(Device::cpu());
  const Shape shape{ids.numel(), config.dim};
  pass.words = Tensor::empty(shape, DType::f32), pass.positions = Tensor::empty(shape, DType::f32);
  kernels::embedding_forward(ids, positions, table, Tensor::zeros(shape, DType::f32),
                             std::sqrt(static_cast<float>(config.dim)), {}, pass.words);
  kernels::sinusoid_positions(config.positions, pass.positions);
}

void add_losses(FlowPass& pass) {
  const Tensor& z = pass.traced.find("output", "z").value;
  for (int64_t t = 0; t < z.rows(); ++t) {
    const Tensor loss = Tensor::zeros({2}, DType::f32);
    kernels::cross_entropy(z.slice_rows(t, t + 1),
                           Tensor::from<int32_t>({pass.traced.target_ids[static_cast<size_t>(t)]}), {}, loss,
                           Tensor());
    pass.losses.push_back(static_cast<double>(loss.data<float>()[1]));
  }
}

}  // namespace

MicroModel::MicroModel() : config(micro_config()), transformer(config, registry), arena(Device::cpu()) {
  registry.allocate(Device::cpu(), nn::Registry::Gradients::no);
  transformer.bind(Device::cpu());
  registry.initialise(kSeed);
}

FlowPass micro_pass(FlowTarget target) {
  FlowPass pass;
  pass.model = "a micro-model with random weights";
  pass.vocabulary = kTargetWords;
  MicroModel model;
  pass.config = model.config;
  TracedSentence& traced = pass.traced;
  traced.batch = batch_of(kSource, kReference);
  if (target == FlowTarget::greedy) {
    const nn::SearchOptions greedy{.beam_size = 1, .bos = kSpecials.target_bos, .eos = kSpecials.target_eos};
    traced.batch = batch_of(
        kSource, nn::Search(model.transformer, model.arena, greedy).translate(traced.batch)[0][0].ids);
  }
  traced.source = names(kSourceWords, traced.batch.source_ids);
  traced.target_in = names(kTargetWords, traced.batch.target_in);
  traced.target_out = names(kTargetWords, traced.batch.target_out);
  traced.target_ids = traced.batch.target_out.to_vector<int32_t>();
  traced.values = traced_values(model.transformer, model.arena, traced.batch);
  add_embedding_terms(pass, model.registry);
  add_losses(pass);
  return pass;
}

FlowPass model_pass(const Options& options, const std::string& sentence, FlowTarget target) {
  Options translation = translation_options(options);
  if (target == FlowTarget::greedy) {
    translation.apply({{"beam-size", {"1"}, "greedy decoding"}}, Options::Origin::user);
  }
  ModelTranslator model(translation);
  FlowPass pass;
  pass.model = model.model->folder;
  pass.config = model.model->transformer->config();
  pass.traced = trace_sentence(model, sentence, "");
  add_embedding_terms(pass, model.model->registry);
  add_losses(pass);
  return pass;
}

}  // namespace xf::tools::explain
