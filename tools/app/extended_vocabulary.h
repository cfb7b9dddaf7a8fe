// A pretrained model's vocabularies with more pieces (--extend-vocab), and what the new pieces
// begin with.
#pragma once

#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "nn/checkpoint/checkpoint.h"

namespace xf::tools {

// The pieces of a file, one a line, as the pipeline makes them of it: they are looked for in its
// text. Error data for an empty or repeated line, for none at all, and for what is not UTF-8.
std::vector<std::string> read_pieces(const std::string& path, const data::TextPipeline& pipeline);

// Both sides with the pieces behind their own, of a classifier the text's. Error usage for
// vocabularies that are not SentencePiece's, and for pieces that they have.
data::Vocabularies extended(const data::Vocabularies& vocabularies, const std::vector<std::string>& pieces);

// Each new piece's rows in tables and output become the mean of the rows of `from` of the pieces
// that its text was cut into before, of both sides where they share the table. `before`: the
// vocabularies of `from`, without the new pieces.
void begin_new_rows(const nn::TensorMap& from, const nn::ParameterStore& store,
                    const data::Vocabularies& before, const std::vector<std::string>& pieces);

}  // namespace xf::tools
