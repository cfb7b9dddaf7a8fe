// The text that a run learns from. What fits is read into memory; where it is large, or --cache
// asks for it, it is prepared once, in constant memory, into a file of ids (data/prepared_pairs.h),
// which the next start opens in a moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/corpus_preparation.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/config/training_options.h"
#include "tools/console/announce.h"

namespace xf::tools {

// What is larger, in bytes of plain text, is prepared in the run folder without being asked for; a
// packed file counts as four times its size.
inline constexpr int64_t kLargeText = int64_t{256} << 20;

// In which folder the text of these options is prepared; none: it is read into memory. Error usage
// where --cache cannot be: for pipes, and beside --bpe-dropout and --bidirectional, with which each
// epoch reads another text.
std::optional<std::string> preparation_folder(const TrainingOptions& options);

class TrainingText {
 public:
  // Error data if a file is missing. A text for the memory is read.
  TrainingText(const TrainingOptions& options, Announce announce);

  // Whether encode() prepares it, or opens what is prepared.
  bool is_prepared() const { return folder_.has_value(); }

  // What vocabularies are learnt from: all of the text, or a sample of --spm-input-sentences lines
  // of it. Of a text that is prepared no line if there is nothing to learn. Its `parts` are those
  // of the text.
  const data::ParallelText& sample();
  // How many pairs of lines that is; 0: all of them.
  int64_t sampled() const { return sampled_; }

  struct Encoded {
    data::ParallelCorpus corpus;
    data::ParallelText text;  // of a text in memory, if it is needed further on
    std::string hash;         // of the prepared lines
    std::string note;         // for the log, of a text that was prepared
  };
  // Leaves nothing here. Error data as of PairedLines and CorpusEncoder, resources if the file
  // cannot be written.
  Encoded encode(const data::Vocabularies& vocabularies);

 private:
  void draw_sample();
  data::LengthFilter filter() const;  // as the options say by now
  Encoded open_or_prepare(const data::Vocabularies& vocabularies);
  std::string prepare(const data::TextToPrepare& text, const std::string& path);

  const TrainingOptions& options_;
  Announce announce_;
  data::TextKind kind_;
  std::vector<data::TextFiles> texts_;
  data::TextPipeline pipeline_;
  std::optional<std::string> folder_;
  data::ParallelText text_;                   // in memory
  std::optional<data::ParallelText> sample_;  // where it is not all of text_
  int64_t sampled_ = 0;
};

}  // namespace xf::tools
