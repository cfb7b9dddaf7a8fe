#include "tools/config/foreign_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tools/config/option.h"
#include "tools/console/nearest_name.h"

namespace xf::tools {

namespace {

struct Names {
  std::string_view native, foreign;  // dashes stand for underscores, too
};

// A foreign name may stand in several rows: the first whose option a program has is meant.
constexpr auto kNames = std::to_array<Names>(
    {{"learn-rate", "lr learning-rate"},
     {"after",
      "epochs num-epochs max-epoch max-epochs updates max-update max-steps train-steps "
      "after-epochs after-batches"},
     {"early-stopping", "patience"},
     {"mini-batch", "batch-size max-sentences"},
     {"mini-batch-words", "batch-type max-tokens"},
     {"optimizer-delay", "batch-multiplier update-freq accum-count"},
     {"dim-emb", "hidden-size embedding-dim d-model encoder-embed-dim decoder-embed-dim"},
     {"transformer-dim-ffn", "ff-size encoder-ffn-embed-dim"},
     {"transformer-heads", "num-heads heads encoder-attention-heads"},
     {"enc-depth", "num-layers layers encoder-layers"},
     {"dec-depth", "decoder-layers"},
     {"norm", "layer-norm encoder-normalize-before transformer-postprocess transformer-preprocess"},
     {"layer-norm-epsilon", "layer-norm-eps norm-eps"},
     {"transformer-dropout", "dropout"},
     {"transformer-dropout-attention", "attention-dropout"},
     {"transformer-dropout-ffn", "activation-dropout"},
     {"transformer-ffn-activation", "activation activation-fn"},
     {"transformer-train-positions", "encoder-learned-pos decoder-learned-pos"},
     {"tied-embeddings", "tied-softmax share-decoder-input-output-embed"},
     {"tied-embeddings-all", "share-all-embeddings"},
     {"lr-warmup", "warmup warmup-updates warmup-steps learning-rate-warmup"},
     {"lr-schedule", "scheduling lr-scheduler lr-decay-inv-sqrt"},
     {"lr-decay", "decrease-factor lr-shrink"},
     {"clip-norm", "clip-grad-norm max-grad-norm"},
     {"optimizer-params", "adam-betas momentum adam-eps"},
     {"valid-freq", "validation-freq validate-interval"},
     {"valid-print", "print-valid-sents eval-bleu-print-samples"},
     {"disp-freq", "logging-freq log-interval"},
     {"model", "model-dir save-dir"},
     {"resume", "load-model restore-file"},
     {"pretrained-model", "finetune-from-model"},
     {"seed", "random-seed"},
     {"vocabs", "voc-file srcdict tgtdict"},
     {"keep-best", "keep-best-ckpts keep-best-checkpoints"},
     {"no-optimizer-reload", "reset-optimizer"},
     {"keep-last", "keep-last-epochs"},
     {"test-sets", "test data.test testpref"},
     {"log-format", "log-level"},
     {"beam-size", "beam"},
     {"normalize", "lenpen beam-alpha length-penalty"},
     {"force-decode", "prefix-size use-target-prefix"},
     {"output-sampling",
      "sampling sampling-topk sampling-topp sampling-temperature "
      "random-sampling-topk random-sampling-topp random-sampling-temp"},
     {"alignment", "print-alignment report-align"},
     {"task", "arch"},
     {"valid-sets", "dev data.dev validpref"},
     {"source", "src"},
     {"input", "src prompt"},
     {"target", "tgt"},
     {"teacher-forced", "tgt"},
     {"train-sets", "train data.train trainpref src tgt"},
     {"max-length", "max-source-positions max-target-positions"},
     {"lr-decay-patience", "lr-patience"},
     {"freeze", "embedding-fix-src embedding-fix-trg"},
     {"save-freq", "save-interval save-interval-updates"},
     {"valid-metrics", "best-checkpoint-metric"},
     {"n-best", "num-hypotheses"},
     {"samples", "num-samples"}});

// sacreBLEU's, which are about the test sets that it downloads.
constexpr auto kOfTestSets =
    std::to_array<std::string_view>({"t", "test-set", "list", "citation", "cite", "origlang", "ol", "subset",
                                     "download", "echo", "detail", "d"});

constexpr std::string_view kMinimumRisk =
    "minimum-risk training was removed, since it did not improve translations";

// Of xformer-train.
constexpr auto kRemoved = std::to_array<RemovedOption>({{"minimum-risk", "minimum-risk", kMinimumRisk},
                                                        {"minimum-risk-after", "minimum-risk", kMinimumRisk},
                                                        {"minimum-risk-rate", "minimum-risk", kMinimumRisk}});

}  // namespace

const RemovedOption* find_removed(std::string_view program, std::string_view name) {
  if (program != "xformer-train") return nullptr;
  const auto* const found = std::ranges::find(kRemoved, name, &RemovedOption::name);
  return found == kRemoved.end() ? nullptr : found;
}

std::string why_refused(std::string_view program, std::string_view option) {
  if (program != "xformer-score" || std::ranges::find(kOfTestSets, option) == kOfTestSets.end()) return "";
  return "; it is for test sets that sacreBLEU downloads, and this program downloads none; give the "
         "references as files, xformer-score bleu REF -i HYP";
}

std::vector<std::string> native_names(std::string_view foreign) {
  std::string name(foreign);
  std::ranges::replace(name, '_', '-');
  std::vector<std::string> natives;
  for (const Names& row : kNames) {
    const std::vector<std::string> known = split(row.foreign, ' ');
    if (std::ranges::find(known, name) != known.end()) natives.emplace_back(row.native);
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
