#include "tools/tutorials/register.h"

#include "data/score/batch_metric.h"
#include "tools/tutorials/model/padded_model.h"
#include "tools/tutorials/spacy/spacy_tokenizer.h"
#include "tools/tutorials/tutorial_bleu.h"
#include "tools/tutorials/tutorial_log.h"

namespace xf::tutorials {

void register_all() {
  static const bool done = [] {
    nn::model_variants().add("quirks", nn::quirks::make_padded_variant);
    data::register_spacy_words();
    data::batch_metrics().add("tutorial-bleu", [](auto hypotheses, const auto& references, int64_t batch) {
      return data::tutorial_bleu(hypotheses, references, batch);
    });
    tools::log_formats().add("tutorial", tools::make_tutorial_log());
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace xf::tutorials
