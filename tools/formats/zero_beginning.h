// Translations that begin with an embedding of zeros, as Marian's do and what is made of them. Here
// they begin with a piece, <pad>, that is added behind the target's for it: its row is zero, and
// its bias is one that no search chooses.
#pragma once

#include "core/tensor.h"
#include "tools/formats/foreign_vocabulary.h"

namespace xf::tools::exchange {

// With that piece, in a name that no other has, as <s> and as <pad>.
void add_beginning(ForeignVocabulary& vocabulary);

// The table, or the output's weight, with the piece's row: [V, D] -> [V + 1, D].
Tensor with_beginning(const Tensor& table);
// The output's bias, which may be a row, with the piece's.
Tensor with_beginning_bias(const Tensor& bias);

}  // namespace xf::tools::exchange
