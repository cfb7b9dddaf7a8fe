#include "tools/inference/text_classifier.h"

#include <algorithm>
#include <numeric>

#include "core/stop.h"
#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "kernels/softmax.h"
#include "nn/evaluation.h"

namespace xf::tools {

namespace {

constexpr int64_t kSourceTokensPerBatch = 8192;  // at most; caps the memory of long texts

// A target side of one token a text, for its query; the class is not known.
void add_queries(PackedBatch& batch) {
  std::vector<int32_t> offsets(static_cast<size_t>(batch.sentences) + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  batch.target_offsets = Tensor::from(offsets);
  batch.target_out = Tensor::zeros({batch.sentences}, DType::i32);
  batch.target_tokens = batch.sentences;
  batch.longest_target = 1;
}

}  // namespace

std::vector<Classification> classify(const nn::Classifier& model, Arena& arena, const data::Sequences& texts,
                                     int32_t eos, int64_t sentences_per_batch, Share share,
                                     const std::function<void(int64_t)>& done) {
  std::vector<Classification> result(static_cast<size_t>(texts.size()));
  const auto classes = static_cast<size_t>(model.config().target_vocabulary);
  int64_t number = 0;
  for (data::IndexedBatch& indexed :
       data::translation_batches(texts, eos, kSourceTokensPerBatch, sentences_per_batch)) {
    if (!share.has(number++)) continue;
    check_stop();
    add_queries(indexed.batch);
    const PackedBatch batch = indexed.batch.to(arena.device());
    autograd::Tape tape(arena, autograd::Tape::Mode::inference);
    nn::ForwardContext context{.tape = tape};
    const nn::Variable y = model.pool(context, model.encode(context, batch, Tensor()), batch, Tensor());
    const Tensor z = model.logits(context, y.value());
    const Tensor p = context.allocate({1, 1, z.rows(), z.width()}, z.dtype());
    kernels::softmax_forward(z.reshape(p.shape()), {}, p);
    const std::vector<double> all = nn::read_values(p);
    for (size_t i = 0; i < indexed.sentences.size(); ++i) {
      Classification& classification = result[static_cast<size_t>(indexed.sentences[i])];
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * classes);
      const auto end = begin + static_cast<std::ptrdiff_t>(classes);
      classification.probabilities.assign(begin, end);
      classification.best = static_cast<int32_t>(std::max_element(begin, end) - begin);
    }
    if (done) done(std::ssize(indexed.sentences));
  }
  return result;
}

}  // namespace xf::tools
