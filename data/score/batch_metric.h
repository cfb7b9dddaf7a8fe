// Metrics that libraries above add: the score of each batch of lines, and their mean.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/registered.h"
#include "data/score/score.h"

namespace xf::data {

// `batch`: lines of a batch, at least 1. Error data unless there are as many references as
// hypotheses, and one.
using BatchMetric = std::function<Score(std::span<const std::string> hypotheses,
                                        const std::vector<std::string>& references, int64_t batch)>;

// By the name that options and logs have for it.
Registered<BatchMetric>& batch_metrics();

}  // namespace xf::data
