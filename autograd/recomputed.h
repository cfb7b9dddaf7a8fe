// A part of a computation whose intermediate values are let go, and computed anew when backward
// comes to it: less memory for one more forward pass. Chen et al. 2016, "Training deep nets with
// sublinear memory cost", arXiv:1604.06174; docs/derivations/tape.md (TP3).
#pragma once

#include <functional>
#include <vector>

#include "autograd/tape.h"

namespace xf::autograd {

// Values from values. Called again with the same inputs it must compute the same bits, and it is
// kept until backward: what it refers to lives as long. It returns none of its inputs as they are.
using Part = std::function<std::vector<Variable>(Tape&, const std::vector<Variable>&)>;

// part(tape, inputs) as one node. What the part reads besides its inputs must be leaves that it
// makes itself. The gradients have the bits that they have without this.
std::vector<Variable> recomputed(Tape& tape, const std::vector<Variable>& inputs, const Part& part);

}  // namespace xf::autograd
