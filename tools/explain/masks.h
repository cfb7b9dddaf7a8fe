// Which positions may see which: the masks of a padded example, each at its place in the model;
// masks that other programs build, beside them; and what a masked score's value does to a row of
// probabilities. A cell is lit where the engine's softmax gives equal scores a probability above
// zero (docs/notation.md, Masks).
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/report/matrix_picture.h"

namespace xf::tools::explain {

struct PaddedBatch {
  std::vector<std::vector<std::string>> sentences;  // all of one length
  std::vector<int32_t> lengths;                     // of each, without padding
  int64_t size() const { return static_cast<int64_t>(sentences.size()); }
  int64_t length() const { return static_cast<int64_t>(sentences.front().size()); }
};

// Sentences apart by ';', words by spaces; shorter ones are filled up with `pad`. Error usage for a
// sentence without words, and for padding that is not at a sentence's end.
PaddedBatch padded_batch(const std::string& text, const std::string& pad);

struct MaskUse {
  std::string use;    // "encoder self-attention"
  std::string place;  // where the engine asks for it: file, and what stands there; empty for a mask
                      // that it
                      // never builds
  std::vector<TitledMatrix> matrices;  // values 0 and 1: of each sentence, or of the packed batch
};

struct MaskRule {
  std::string name, about;
  std::vector<MaskUse> uses;
};

// softmax of 2, 1, 0.5, -1 where the last two, and where all are masked.
struct MaskFill {
  std::string fill;
  std::vector<double> two_masked, all_masked;
};

// masked_fill with -1e9 of two matrices [3, 4], one above the other, by one mask for each row.
struct MaskPolarity {
  TokenMatrix x, mask;
  TokenMatrix where_true;   // a 1 says where to fill: PyTorch's masked_fill
  TokenMatrix where_false;  // a 1 says what may be attended, and the rest is filled: the masks on
                            // this page
};

struct Masks {
  PaddedBatch source, target;
  std::vector<MaskRule> rules;
  std::vector<MaskFill> fills;
  MaskPolarity polarity;
};

// Error usage for unequal numbers of sentences.
Masks masks_of(const std::string& source, const std::string& target, const std::string& pad);

std::string to_text(const Masks& masks);
std::string to_json(const Masks& masks);
std::string to_svg(const Masks& masks);
std::string to_html(const Masks& masks);

// The command: options source, target, pad, format.
std::string masks(const MasksOptions& options);

}  // namespace xf::tools::explain
