#include "nn/decode/alignment.h"

#include <fmt/core.h>

#include <algorithm>

#include "nn/evaluation.h"

namespace xf::nn {

namespace {

// The sum of the probabilities [B, H, Sq, Sk] over heads, and over the models that show them.
class HeadSums : public Trace {
 public:
  explicit HeadSums(int64_t layer) : block_(fmt::format("decoder.layers.{}.cross_attention", layer)) {}

  void value(std::string_view block, std::string_view, std::string_view symbol, const Tensor& p) override {
    if (block != block_ || symbol != "p") return;
    const std::vector<double> values = read_values(p);
    queries_ = static_cast<size_t>(p.dim(2)), keys_ = static_cast<size_t>(p.dim(3));
    const auto H = static_cast<size_t>(p.dim(1));
    const size_t cells = queries_ * keys_;
    sums_.resize(static_cast<size_t>(p.dim(0)) * cells);
    for (size_t i = 0; i < values.size(); ++i) sums_[i / (H * cells) * cells + i % cells] += values[i];
    heads_ += H;
  }

  bool seen() const { return heads_ > 0; }
  double mean(size_t sentence, size_t query, size_t key) const {
    return sums_[(sentence * queries_ + query) * keys_ + key] / static_cast<double>(heads_);
  }

 private:
  std::string block_;
  std::vector<double> sums_;  // [B, Sq, Sk]
  size_t queries_ = 0, keys_ = 0, heads_ = 0;
};

}  // namespace

int64_t usual_alignment_layer(const TransformerConfig& config) {
  return std::max<int64_t>(config.decoder_layers - 2, 0);
}

std::vector<Alignment> align(const TranslationModel& model, Arena& arena, const PackedBatch& batch,
                             int64_t layer) {
  HeadSums sums(layer);
  Tape tape(arena, Tape::Mode::inference);
  ForwardContext context{.tape = tape, .trace = &sums};
  model.logits(context, batch.to(arena.device()));
  if (!sums.seen()) {
    fail(ErrorKind::usage, "alignment-layer: there is no layer {}; the decoder's last one is {}", layer,
         model.config().decoder_layers - 1);
  }
  const auto sources = batch.source_offsets.to_vector<int32_t>(),
             targets = batch.target_offsets.to_vector<int32_t>();
  std::vector<Alignment> alignments(static_cast<size_t>(batch.sentences));
  for (size_t b = 0; b < alignments.size(); ++b) {
    Alignment& alignment = alignments[b];
    alignment.sources = static_cast<size_t>(sources[b + 1] - sources[b]);
    alignment.targets = static_cast<size_t>(targets[b + 1] - targets[b]);
    for (size_t t = 0; t < alignment.targets; ++t) {
      for (size_t s = 0; s < alignment.sources; ++s) alignment.weights.push_back(sums.mean(b, t, s));
    }
  }
  return alignments;
}

}  // namespace xf::nn
