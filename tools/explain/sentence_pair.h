// From lines of text to what a model reads: one sentence and its translation as a batch.
#pragma once

#include <string>
#include <vector>

#include "data/batches.h"
#include "nn/model.h"

namespace xf::tools::explain {

// Of a prepared line (data::TextPipeline). Error usage for one without tokens, and for one that the
// model does not read whole.
std::vector<int32_t> ids_of(const data::Tokenizer& vocabulary, const std::string& line,
                            const nn::Model& model);

// source_ids </s> and target_ids </s>, on the CPU.
PackedBatch sentence_pair(const data::BatchSpecials& specials, const std::vector<int32_t>& source_ids,
                          const std::vector<int32_t>& target_ids);

std::vector<std::string> pieces(const data::Tokenizer& vocabulary, const std::vector<int32_t>& ids);

}  // namespace xf::tools::explain
