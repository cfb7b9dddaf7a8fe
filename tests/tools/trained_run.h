// A run folder with a small model in it, for what looks into trained models.
#pragma once

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tests/data/temporary_folder.h"
#include "tests/tools/parsed_options.h"
#include "tools/app/train.h"

namespace xf::tools::tests {

// Two encoder layers, one decoder layer, two heads; knows three pairs by heart. Trained once for
// all tests.
inline std::string trained_run() {
  static const xf::tests::TemporaryFolder folder;
  static const std::string run = [] {
    folder.write("en", "the man runs\na dog sleeps\nit is late\n");
    folder.write("de", "der mann rennt\nein hund schläft\nes ist spät\n");
    std::istringstream options(
        "--task demo --tokenizer icu --min-freq 1 --joint-vocab=false "
        "--tied-embeddings-all=false --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn "
        "16 --enc-depth 2 --dec-depth 1 --transformer-dropout 0 --label-smoothing 0 --learn-rate "
        "0.02 --lr-warmup 1u --after 100u --save-freq 100u --device cpu --cpu-threads 1 --quiet");
    std::vector<std::string> words(std::istream_iterator<std::string>(options), {});
    for (const std::string& word :
         {std::string("-t"), folder / "en", folder / "de", std::string("-m"), folder / "run"})
      words.push_back(word);
    train(xf::tests::parsed_training(words));
    return folder / "run";
  }();
  return run;
}

}  // namespace xf::tools::tests
