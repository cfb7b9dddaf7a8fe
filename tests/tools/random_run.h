// A run folder as xformer-train leaves one, but with random weights: what reads a trained model has
// something to read without training it.
#pragma once

#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"
#include "tests/data/temporary_folder.h"
#include "tools/app/make_vocabularies.h"
#include "tools/config/program_options.h"
#include "tools/config/training_options.h"
#include "tools/explain/traced_sentence.h"
#include "tools/formats/stored_model.h"
#include "tools/setup/model_config.h"
#include "tools/setup/read_training_options.h"

namespace xf::tests {

class RandomRun {
 public:
  // `more`: lines of training.toml.
  explicit RandomRun(const std::string& more = "") {
    using namespace tools;
    const TrainingOptions options = training_options_from_toml(R"(
task = "demo"
tokenizer = "icu"
min-freq = 1
dim-emb = 16
transformer-heads = 2
transformer-dim-ffn = 32
enc-depth = 1
dec-depth = 1
max-length = 20
)" + more,
                                                               "a test");
    data::ParallelText text{.parts = {{{.paths = {"x.src", "x.trg"}}, 2}}, .source = {}, .target = {}};
    text.source = {"the old dog sees a small horse", "a small dog runs home"};
    text.target = {"der alte hund sieht ein kleines pferd", "ein kleiner hund rennt heim"};
    const data::Vocabularies vocabularies = make_vocabularies(options, text);
    nn::ParameterStore store;
    const nn::Transformer model(
        model_config(options, vocabularies.source->size(), vocabularies.target->size()), store);
    store.allocate(Device::cpu(), nn::ParameterStore::Gradients::no);
    store.initialise(7);
    nn::Checkpoint checkpoint;
    checkpoint.update = 1;
    checkpoint.model = nn::model_of(store);
    checkpoint.model_config = to_toml(options);
    checkpoint.training_config = options_of(options).to_toml();
    describe_vocabularies(vocabularies, checkpoint.metadata);
    vocabularies.save(path());
    nn::write_checkpoint(path() + "/averaged", checkpoint);
  }

  std::string path() const { return folder_ / ""; }

  // As xformer-translate would have it with these options.
  tools::TranslationOptions translating(const tools::GivenOptions& more = {}) const {
    tools::TranslationOptions options;
    options.model = {path()};
    tools::options_of(options).apply(more, tools::OptionList::Origin::user);
    return options;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace xf::tests
