// The two tokenizers of a model, one object where both sides share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/tokenizer.h"

namespace xf::data {

struct Vocabularies {
  std::shared_ptr<const Tokenizer> source, target;
  int64_t lines_cut = 0;  // of the text that they were learnt from just now (lines_cut_by_bpe())
  int64_t sampled = 0;    // the lines of a side that they were learnt from, if these were not all
  double share = 1;       // of these lines, of the side with the smaller one (bpe_sample())
  int64_t asked = 0;      // pieces that were asked for, if one has fewer
  bool joint() const { return source == target; }
  std::string hash() const;      // of both
  std::string checksum() const;  // of both

  // Bytes by name: vocab.spm, or vocab.source.spm and vocab.target.spm (.txt for word lists,
  // .labels for the classes of a classifier).
  std::map<std::string, std::string> files() const;
  // These, in `folder`.
  void save(const std::string& folder) const;
};

// Of files() again; a file's name stands in messages.
Vocabularies vocabularies_of(const std::map<std::string, std::string>& files);
// Those that save() left. Error data if there are none.
Vocabularies load_vocabularies(const std::string& folder);
// Their files: one, or source's and target's; none where there are none.
std::vector<std::string> vocabulary_files(const std::string& folder);
bool has_vocabularies(const std::string& folder);
// The nearest folder above `folder`, or itself, that has vocabularies: the run that a checkpoint
// lies in. "" if none has.
std::string find_vocabularies(const std::string& folder);

}  // namespace xf::data
