// What one word looks at: the sentence twice, and lines from the word to what it attends to, as strong as the weight, a
// colour for each head. After Vig 2019, arXiv:1906.05714, and the drawings in Tensor2Tensor that it goes back to.
#pragma once

#include "tools/explain/attention_maps.h"

namespace xf::tools::explain {

// `heads`: maps of one layer, with focus.
Drawing focus_drawing(const std::vector<const AttentionMap*>& heads);

// One for each layer; those of a part of the model side by side.
Drawing focus_drawings(const std::vector<std::vector<const AttentionMap*>>& layers);

}  // namespace xf::tools::explain
