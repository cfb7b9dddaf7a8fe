#include "tools/config/foreign_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tools/console/nearest_name.h"

namespace xf::tools {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Dashes stand for underscores, too. A name may come twice: the first that a program has is meant.
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
    {"after-epochs", "after"},
    {"after-batches", "after"},
    {"batch-size", "mini-batch"},
    {"batch-type", "mini-batch-words"},
    {"max-sentences", "mini-batch"},
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
    {"layer-norm-eps", "layer-norm-epsilon"},
    {"norm-eps", "layer-norm-epsilon"},
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
    {"adam-eps", "optimizer-params"},
    {"arch", "task"},
    {"train", "train-sets"},
    {"data.train", "train-sets"},
    {"trainpref", "train-sets"},
    {"dev", "valid-sets"},
    {"data.dev", "valid-sets"},
    {"validpref", "valid-sets"},
    {"data.test", "test-sets"},
    {"testpref", "test-sets"},
    {"src", "source"},
    {"src", "input"},
    {"src", "train-sets"},
    {"tgt", "target"},
    {"tgt", "teacher-forced"},
    {"tgt", "train-sets"},
    {"srcdict", "vocabs"},
    {"tgtdict", "vocabs"},
    {"max-source-positions", "max-length"},
    {"max-target-positions", "max-length"},
    {"share-decoder-input-output-embed", "tied-embeddings"},
    {"lr-decay-inv-sqrt", "lr-schedule"},
    {"lr-shrink", "lr-decay"},
    {"lr-patience", "lr-decay-patience"},
    {"transformer-postprocess", "norm"},
    {"transformer-preprocess", "norm"},
    {"eval-bleu-print-samples", "valid-print"},
    {"embedding-fix-src", "freeze"},
    {"embedding-fix-trg", "freeze"},
    {"save-interval", "save-freq"},
    {"save-interval-updates", "save-freq"},
    {"best-checkpoint-metric", "valid-metrics"},
    {"length-penalty", "normalize"},
    {"num-hypotheses", "n-best"},
    {"num-samples", "samples"},
    {"prompt", "input"},
});

// sacreBLEU's, which are about the test sets that it downloads.
constexpr auto kOfTestSets =
    std::to_array<std::string_view>({"t", "test-set", "list", "citation", "cite", "origlang", "ol", "subset",
                                     "download", "echo", "detail", "d"});

}  // namespace

std::string why_refused(Program program, std::string_view option) {
  if (program != Program::score || std::ranges::find(kOfTestSets, option) == kOfTestSets.end()) return "";
  return "; it is for test sets that sacreBLEU downloads, and this program downloads none: "
         "give the references as files, xformer-score bleu REF -i HYP";
}

std::vector<std::string> native_names(std::string_view foreign) {
  std::string name(foreign);
  std::ranges::replace(name, '_', '-');
  std::vector<std::string> natives;
  for (const auto& [known, native] : kNames) {
    if (known == name) natives.emplace_back(native);
  }
  return natives;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates,
                       std::string_view prefix) {
  for (const std::string& native : native_names(name)) {
    if (std::ranges::find(candidates, native) != candidates.end())
      return fmt::format("; did you mean '{}{}'?", prefix, native);
  }
  return did_you_mean(name, candidates, prefix);
}

}  // namespace xf::tools
