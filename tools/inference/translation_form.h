// What is written of a translation; the fields are Marian's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/inference/alignment_form.h"
#include "tools/inference/translator.h"

namespace xf::tools {

// A line is
//   text [||| alignment] [||| WordScores= ...]
// a hypothesis of --n-best
//   id ||| text [||| alignment] [||| WordScores= ...] ||| F0= log-probability ||| score
// and one of --interactive, with --n-best or without
//   score TAB text [||| alignment] [||| WordScores= ...]
class TranslationForm {
 public:
  // Error usage for an --alignment that there is not.
  explicit TranslationForm(const TranslationOptions& options);

  // Whether log-probabilities or scores are part of it.
  bool shows_scores() const { return n_best_ || word_scores_ || interactive_; }

  // A line, or one for each hypothesis. `id`: of the input line, from 0.
  std::vector<std::string> lines(const Translation& translation, int64_t id) const;

 private:
  bool n_best_, word_scores_, interactive_;
  std::optional<AlignmentForm> alignment_;
};

}  // namespace xf::tools
