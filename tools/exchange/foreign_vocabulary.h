// Vocabularies of models of other toolkits.
#pragma once

#include <string>
#include <vector>

#include "data/sentencepiece_ids.h"
#include "tools/vocabularies.h"

namespace xf::tools::exchange {

// A side's list of pieces by id, and the special tokens among them.
struct ForeignVocabulary {
  std::vector<std::string> pieces;
  data::SpecialPieces specials;
};

// The tokenizers that cut text to these ids. Text is cut by the SentencePiece models of the folder: source.spm and target.spm,
// or the files that Vocabularies::save() writes, word lists too; one file, whatever its name ends in, where both sides share
// it. `joint`: the lists are one. Error data for a folder without, and where they do not belong together. Adds to
// `warnings` what is cut otherwise than there.
Vocabularies foreign_vocabularies(const std::string& folder, const ForeignVocabulary& source,
                                  const ForeignVocabulary& target, bool joint,
                                  std::vector<std::string>& warnings);
// The same where the caller knows the files, of one side each or of both.
Vocabularies foreign_vocabularies(const std::vector<std::string>& files, const ForeignVocabulary& source,
                                  const ForeignVocabulary& target, bool joint,
                                  std::vector<std::string>& warnings);

}  // namespace xf::tools::exchange
