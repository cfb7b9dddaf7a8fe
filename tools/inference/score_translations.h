// xformer-score METRIC REF...: how good are translations?
#pragma once

#include <string>
#include <vector>

#include "data/score/score.h"
#include "tools/config/program_options.h"

namespace xf::tools {

// `options`: of xformer-score. Prints the scores of one system, of each of its lines, or a table of
// several systems.
void score_translations(const ScoringOptions& options);

// What it would say of one system in memory by one metric: "bleu", "chrf", "ter", or one that is
// added. references[r][i] is the r-th reference of hypothesis i. Error data where numbers of lines
// differ or there is no line or no reference.
data::Score corpus_score(const std::string& metric, const std::vector<std::string>& hypotheses,
                         const std::vector<std::vector<std::string>>& references,
                         const ScoringOptions& options);

// In the form, of the width, that the options ask for.
std::string signature_of(const data::Score& score, const ScoringOptions& options);
std::string text_of(const data::Score& score, const ScoringOptions& options);

}  // namespace xf::tools
