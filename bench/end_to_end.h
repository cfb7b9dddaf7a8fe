// Whole tasks: translation against CTranslate2, and xformer-train against the bare training step.
#pragma once

#include <cstdint>
#include <string>

#include "bench/runner.h"

namespace xf::bench {

struct EndToEnd {
  std::string model;  // --end-to-end translate: run folder; default: the demo's
  std::string input;  // text; default: the demo's test sentences for its model, else test_2016_flickr.en
  std::string data;   // --end-to-end train: folder with train.en, train.de; default: Multi30k
  int64_t beam = 5;
  int64_t sentences = 256;  // of a batch of translation; xformer-translate's default
  int64_t updates = 300;    // of end-to-end training
};

// Rows for the beam and for greedy search, each in batches and one sentence at a time; tokens: generated,
// with
// </s>. Ours and the peer (bench/peers/ctranslate2_translate.py, which chooses its best size of batch) are
// timed alike and in turn: from ids to ids of the whole text, without loading and tokenisation, after a pass
// that does not count.
Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress);

// xformer-train on real text, in stretches, and the bare step in turn: a sample is the time of 4,096 target
// tokens, the median of a stretch's windows of 10 updates; validation and saving lie outside. The ratio is to
// the bare step; the note says how flat the speed stays. Error usage for fewer than 20 updates.
Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress);

// The median rate of the last tenth of windows over that of the windows from update 100 on; needs 20 of them,
// else unknown.
double flatness(const std::vector<double>& tokens_per_second);

}  // namespace xf::bench
