#include "tools/tutorials/register.h"

#include "data/score/batch_metric.h"
#include "tools/tutorials/compat_bleu.h"
#include "tools/tutorials/model/padded_model.h"
#include "tools/tutorials/seed_log.h"
#include "tools/tutorials/spacy/spacy_tokenizer.h"

namespace xf::tutorials {

void register_all() {
  static const bool done = [] {
    nn::model_variants().add("quirks", nn::quirks::make_padded_variant);
    data::register_spacy_words();
    data::batch_metrics().add("compat-bleu", [](auto hypotheses, const auto& references, int64_t batch) {
      return data::compat_bleu(hypotheses, references, batch);
    });
    tools::log_formats().add("seed", tools::make_seed_log());
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace xf::tutorials
