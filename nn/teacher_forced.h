// What the model would say next at each position of a target that is given, and how probable the
// target is. The decoder reads the target's own tokens, whatever it would have said itself
// (Williams and Zipser 1989, "A learning algorithm for continually running fully recurrent neural
// networks"): one pass for all positions, as in training, without dropout. No search: the output
// has the target's length, and each mistake is forgiven at the next position.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/transformer.h"

namespace xf::nn {

// Per sentence of the batch, the likeliest id at each of its target positions, the place of </s>
// included; any id may come anywhere, </s> too. Ties: the smaller id. Memory comes from the arena
// and is back there on return. Errors: diverged when the model's log-probabilities are not finite.
std::vector<std::vector<int32_t>> teacher_forced(const TranslationModel& model, Arena& arena,
                                                 const PackedBatch& batch);

// Per sentence of the batch, log p, in nats, of each of its target tokens, that of </s> last.
// Memory and errors as above.
std::vector<std::vector<double>> log_probabilities(const TranslationModel& model, Arena& arena,
                                                   const PackedBatch& batch);

}  // namespace xf::nn
