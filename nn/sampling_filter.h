// Sampling a token by what a model says of the next one: from p^(1/temperature), among the top_k
// most probable tokens (Fan et al. 2018, arXiv:1805.04833, section 5.2), and of these among the
// nucleus, the fewest most probable ones whose probabilities sum to top_p or more (Holtzman et al.
// 2020, arXiv:1904.09751, section 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xf::nn {

struct SamplingFilter {
  double temperature = 1;  // 0: always the most probable token
  int64_t top_k = 0;       // 0: all
  double top_p = 1;        // above 0, up to 1: all
};

// Error usage for a filter that makes no sense.
void check(const SamplingFilter& filter);

// The token at which the running sum of the probabilities passes `uniform`, from [0, 1); the most
// probable token comes first, of equal ones the smaller id. `logits`: of every id. `banned`: ids
// that never come out; one at least is not among them. Error diverged for a logit that is not
// finite.
int32_t sample_token(const SamplingFilter& filter, std::span<const double> logits,
                     std::span<const int32_t> banned, double uniform);

}  // namespace xf::nn
