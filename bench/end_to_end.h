// Whole programs, as a user runs them: xformer-translate against CTranslate2, and xformer-train against the
// bare training step.
#pragma once

#include <cstdint>
#include <string>

#include "bench/runner.h"

namespace xf::bench {

struct EndToEnd {
  std::string model;  // --end-to-end translate: run folder
  std::string input;  // text; default: Multi30k's test_2016_flickr.en
  std::string data;   // --end-to-end train: folder with train.en, train.de; default: Multi30k
  int64_t beam = 5;
  int64_t batch_words = 1024;  // source tokens of a batch, padding included; 1: one sentence at a time
  int64_t updates = 300;       // of end-to-end training
};

// Two rows, beam and (unless the beam is 1) greedy; tokens: generated, with </s>. Ours is the time that
// xformer-translate itself reports, without loading, from lines to lines; the peer's is that of
// bench/peers/ctranslate2_translate.py.
Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress);

// xformer-train on real text, and the bare step beside it: a sample is the time of 4,096 target tokens in one
// window of 10 updates; validation and saving lie outside. The notes say how the two compare, and how flat
// the speed stays.
Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress);

// From "1000 lines, 13524 tokens in 2.5 s (5410 tokens/s), beam 5, ...", a line of xformer-translate's:
// {tokens, seconds}. Error failure where there is none.
struct Translated {
  double tokens = 0, seconds = 0;
};
Translated translated(const std::string& messages);

// The median rate of the last tenth of windows over that of the windows from update 100 on; needs 20 of them,
// else unknown.
double flatness(const std::vector<double>& tokens_per_second);

}  // namespace xf::bench
