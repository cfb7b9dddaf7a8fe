// Vocabularies of models of other toolkits.
#pragma once

#include <string>
#include <vector>

#include "data/sentencepiece_ids.h"
#include "data/vocabularies.h"

namespace xf::tools::exchange {

using ForeignVocabulary = data::PieceList;  // of a side

// The tokenizers that cut text to these ids. Text is cut by the SentencePiece models of the folder:
// source.spm and target.spm, or the files that Vocabularies::save() writes, word lists too; one
// file, whatever its name ends in, where both sides share it. In a folder without, text is cut
// already: the entries of the lists are words as they stand. `joint`: the lists are one. Error data
// where model and list do not belong together. Adds to `warnings` what is unknown, and that text
// must be cut.
data::Vocabularies foreign_vocabularies(const std::string& folder, const ForeignVocabulary& source,
                                        const ForeignVocabulary& target, bool joint,
                                        std::vector<std::string>& warnings);
// Which of source.spm and target.spm are not there; "" where such files are.
std::string missing_text_model(const std::string& folder);
// The same where the caller knows the files, of one side each or of both.
data::Vocabularies foreign_vocabularies(const std::vector<std::string>& files,
                                        const ForeignVocabulary& source, const ForeignVocabulary& target,
                                        bool joint, std::vector<std::string>& warnings);

}  // namespace xf::tools::exchange
