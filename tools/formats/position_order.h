// Models whose sinusoids are in another order. To reorder the model's dimension everywhere is to
// compute the same, but for the order of sums: x P of every x on the residual stream, for a
// permutation P, leaves the heads as they are.
#pragma once

#include "tools/formats/exchanged_model.h"

namespace xf::tools::exchange {

// The same model with all sines before all cosines; itself where they are so already. Positions
// must not be learnt.
ExchangedModel with_split_positions(const ExchangedModel& model);

}  // namespace xf::tools::exchange
