#include "tools/app/score_model.h"

#include <fmt/core.h>

#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stop.h"
#include "tools/app/classification_validator.h"
#include "tools/app/validation.h"
#include "tools/config/program_options.h"
#include "tools/console/line_progress.h"
#include "tools/console/progress.h"
#include "tools/formats/loaded_model.h"
#include "tools/setup/compute_device.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

void score_model(const LossOptions& options) {
  options_of(options).require("model");
  watch_signals();
  set_thread_count(static_cast<int>(options.compute.cpu_threads));
  const Device device = set_up_device(options.compute);
  const auto model = load_model(options.model, device, chosen_dtype(options.compute));
  const nn::ModelType type = model->model->config().type;
  if (options.text.empty())
    fail(ErrorKind::usage, "xformer-score lm needs --text {}; see xformer-score lm --help",
         files_shown(type));
  const int64_t longest = nn::most_tokens(model->model->config()) - 1;
  const auto set = read_validation_set(type, {.paths = options.text, .tsv = options.tsv}, model->pipeline,
                                       model->vocabularies, longest);
  Arena arena(device);
  LineProgress progress(!options.quiet);
  progress.expect(set->corpus.size());
  const CorpusLoss loss =
      corpus_loss(*model->model, arena,
                  data::validation_batches(set->corpus, batch_specials(type, model->vocabularies),
                                           batch_capacity(type, options.mini_batch_words)),
                  Collective::alone(), [&](int64_t lines) { progress.add(lines); });
  progress.clear();
  fmt::print("lines            {}\n", set->corpus.size());
  if (const int64_t empty = set->corpus.statistics.dropped_empty; empty > 0)
    fmt::print("left out         {}\n",
               counted(empty, type == nn::ModelType::translation ? "pair with an empty side" : "empty line"));
  fmt::print("tokens           {}\n", loss.sums.tokens);
  fmt::print("loss             {:.6f}\n", loss.mean());
  fmt::print("perplexity       {:.4f}\n", std::exp(loss.mean()));
  if (type == nn::ModelType::classification) {
    const data::ClassificationScores scores = scores_of(model->classifier(), arena, model->vocabularies,
                                                        set->corpus, ValidationOptions().valid_mini_batch);
    fmt::print("accuracy         {:.2f}\n", scores.accuracy);
    fmt::print("macro-f1         {:.2f}\n", scores.macro_f1);
    return;
  }
  const auto words = static_cast<double>(words_and_ends(*set));
  fmt::print("word-perplexity  {:.4f}\n", std::exp(loss.sums.plain / words));
}

}  // namespace xf::tools
