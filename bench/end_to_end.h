// Whole tasks: translation against CTranslate2, and xformer-train against the bare training step.
#pragma once

#include <cstdint>
#include <string>

#include "bench/runner.h"

namespace xf::bench {

struct EndToEnd {
  std::string model;  // --end-to-end translate: run folder; default: the demo's
  std::string input;  // text; default: the demo's test sentences for its model, else
                      // test_2016_flickr.en
  std::string data;   // --end-to-end train: folder with train.en, train.de; default: Multi30k
  int64_t beam = 5;
  int64_t sentences = 256;  // of a batch of translation; xformer-translate's default
  int64_t updates = 300;    // of end-to-end training
  bool int8 = false;        // translation with --precision int8
};

// Rows for the beam and for greedy search, each in batches and one sentence at a time; tokens:
// generated, with </s>. For each, the peer (bench/peers/ctranslate2_translate.py) is tuned first.
// Ours and the peer are then timed alike and in turn: from ids to ids of the whole text, without
// loading and tokenisation, after passes that do not count. `keep` as in run(): tuning takes
// minutes.
Results translate_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress,
                             const Keep& keep);

// xformer-train on real text, in stretches, and the bare step in turn: a sample is the time of
// 4,096 target tokens, the median of a stretch's windows of 10 updates; validation and saving lie
// outside. The ratio is to the bare step; the note says how flat the speed stays. Error usage for
// fewer than 20 updates.
Results train_end_to_end(const Request& request, const EndToEnd& options, const Progress& progress);

// The path of a file of Multi30k, from $XFORMER_MULTI30K or beside the repository. Error data where
// it is not.
std::string multi30k(const std::string& name);

// A row of that request, still without times.
Row row_like(const Request& request, const std::string& fn, const std::string& shape);

// The median rate of the last tenth of windows over that of the windows from update 100 on; needs
// 20 of them, else unknown.
double flatness(const std::vector<double>& tokens_per_second);

}  // namespace xf::bench
