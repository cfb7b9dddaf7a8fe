// How far two models, of the same sizes and vocabularies, are apart.
#pragma once

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// The largest difference between the log-probabilities of a token, of a few sentence pairs made of
// random pieces, the same in every call. Error data for tensors that do not fit their sizes,
// diverged for weights that give no finite log-probability.
double largest_difference(const ExchangedModel& a, const ExchangedModel& b);

}  // namespace xf::tools::exchange
