// What xformer-score is asked to do with translations: options, environment and files, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/composition.h"
#include "data/score/bleu.h"
#include "data/score/chrf.h"
#include "data/score/score.h"
#include "data/score/ter.h"
#include "tools/config/program_options.h"
#include "tools/report/score_table.h"

namespace xf::tools {

using Lines = std::vector<std::string>;

struct NamedLines {
  std::string name;
  Lines lines;
};

// How each metric measures.
struct MetricOptions {
  data::BleuOptions bleu;
  data::ChrfOptions chrf;
  data::TerOptions ter;
};

// As many lines in every system as in every reference, and one at least of each.
struct ScoreRequest {
  std::vector<std::string> metrics;  // "bleu", "chrf", "ter", or one of data/score/batch_metric.h,
                                     // each once
  std::vector<Lines> references;
  std::vector<NamedLines> systems;
  MetricOptions measuring;
  std::optional<ScoreTable::Trials> paired;
  data::Composition composition;  // what all text went through when it was read
};

// Of BLEU, chrF and TER; any other metric is one of data/score/batch_metric.h.
bool is_resampled(const std::string& metric);

// `options`: of xformer-score.
MetricOptions metric_options(const ScoringOptions& options);

// `options`: of xformer-score. Error usage for what does not go together, Error data for files that
// do not.
ScoreRequest read_score_request(const ScoringOptions& options);

struct ResamplingSeed {
  uint64_t value = 0;
  std::string name;  // in the signature
};

// SACREBLEU_SEED: a number, or "none" for another one each time; 12345 where it is not set.
ResamplingSeed resampling_seed();

}  // namespace xf::tools
