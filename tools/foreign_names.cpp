#include "tools/foreign_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tools/nearest_name.h"

namespace xf::tools {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Dashes stand for underscores, too.
constexpr auto kNames = std::to_array<Pair>({
    {"lr", "learn-rate"},
    {"learning-rate", "learn-rate"},
    {"epochs", "after"},
    {"num-epochs", "after"},
    {"max-epoch", "after"},
    {"max-epochs", "after"},
    {"updates", "after"},
    {"max-update", "after"},
    {"max-steps", "after"},
    {"train-steps", "after"},
    {"patience", "early-stopping"},
    {"batch-size", "mini-batch-words"},
    {"max-tokens", "mini-batch-words"},
    {"batch-multiplier", "optimizer-delay"},
    {"update-freq", "optimizer-delay"},
    {"accum-count", "optimizer-delay"},
    {"hidden-size", "dim-emb"},
    {"embedding-dim", "dim-emb"},
    {"d-model", "dim-emb"},
    {"encoder-embed-dim", "dim-emb"},
    {"decoder-embed-dim", "dim-emb"},
    {"ff-size", "transformer-dim-ffn"},
    {"encoder-ffn-embed-dim", "transformer-dim-ffn"},
    {"num-heads", "transformer-heads"},
    {"heads", "transformer-heads"},
    {"encoder-attention-heads", "transformer-heads"},
    {"num-layers", "enc-depth"},
    {"layers", "enc-depth"},
    {"encoder-layers", "enc-depth"},
    {"decoder-layers", "dec-depth"},
    {"layer-norm", "norm"},
    {"encoder-normalize-before", "norm"},
    {"dropout", "transformer-dropout"},
    {"attention-dropout", "transformer-dropout-attention"},
    {"activation-dropout", "transformer-dropout-ffn"},
    {"activation", "transformer-ffn-activation"},
    {"activation-fn", "transformer-ffn-activation"},
    {"encoder-learned-pos", "transformer-train-positions"},
    {"decoder-learned-pos", "transformer-train-positions"},
    {"tied-softmax", "tied-embeddings"},
    {"share-all-embeddings", "tied-embeddings-all"},
    {"warmup", "lr-warmup"},
    {"warmup-updates", "lr-warmup"},
    {"warmup-steps", "lr-warmup"},
    {"learning-rate-warmup", "lr-warmup"},
    {"scheduling", "lr-schedule"},
    {"lr-scheduler", "lr-schedule"},
    {"decrease-factor", "lr-decay"},
    {"clip-grad-norm", "clip-norm"},
    {"max-grad-norm", "clip-norm"},
    {"adam-betas", "optimizer-params"},
    {"validation-freq", "valid-freq"},
    {"validate-interval", "valid-freq"},
    {"print-valid-sents", "valid-print"},
    {"logging-freq", "disp-freq"},
    {"log-interval", "disp-freq"},
    {"model-dir", "model"},
    {"save-dir", "model"},
    {"load-model", "resume"},
    {"restore-file", "resume"},
    {"finetune-from-model", "pretrained-model"},
    {"random-seed", "seed"},
    {"voc-file", "vocabs"},
    {"keep-best-ckpts", "keep-best"},
    {"keep-best-checkpoints", "keep-best"},
    {"reset-optimizer", "no-optimizer-reload"},
    {"keep-last-epochs", "keep-last"},
    {"test", "test-sets"},
    {"log-level", "log-format"},
    {"beam", "beam-size"},
    {"lenpen", "normalize"},
    {"beam-alpha", "normalize"},
    {"prefix-size", "force-decode"},
    {"use-target-prefix", "force-decode"},
    {"sampling", "output-sampling"},
    {"sampling-topk", "output-sampling"},
    {"sampling-topp", "output-sampling"},
    {"sampling-temperature", "output-sampling"},
    {"random-sampling-topk", "output-sampling"},
    {"random-sampling-topp", "output-sampling"},
    {"random-sampling-temp", "output-sampling"},
    {"print-alignment", "alignment"},
    {"report-align", "alignment"},
    {"momentum", "optimizer-params"},
});

}  // namespace

std::string native_name(std::string_view foreign) {
  std::string name(foreign);
  std::ranges::replace(name, '_', '-');
  const auto found = std::ranges::find(kNames, std::string_view(name), &Pair::first);
  return found == kNames.end() ? "" : std::string(found->second);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates,
                       std::string_view prefix) {
  const std::string native = native_name(name);
  if (std::ranges::find(candidates, native) == candidates.end())
    return did_you_mean(name, candidates, prefix);
  return fmt::format("; did you mean '{}{}'?", prefix, native);
}

}  // namespace xf::tools
