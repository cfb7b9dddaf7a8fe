// Text to a file of prepared pairs, in one pass, with the memory of a block of lines, by as many
// threads as there are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/parallel_corpus.h"

namespace xf::data {

struct TextToPrepare {
  TextKind kind = TextKind::translation;
  std::vector<TextFiles> texts;  // regular files
  TextPipeline pipeline;
  const Tokenizer& source_tokenizer;
  const Tokenizer& target_tokenizer;
  LengthFilter filter;
  std::string vocabularies;  // their checksum
};

// What of the world decides about the pairs: paths, sizes and times of the files, vocabularies and
// filters. JSON; two texts with the same key have the same pairs, as long as nobody changes a file
// and hides it from its time.
std::string key_of(const TextToPrepare& text);

struct PreparationProgress {
  int64_t lines = 0;
  double share = 0;  // of the files' bytes
  double seconds = 0;
};

// Reads, checks, prepares, encodes and filters, and writes `path`, which is there whole or as it
// was before. What an earlier preparation in its folder left that was killed is removed. Only its
// owner may write it. Error data as of PairedLines and CorpusEncoder, resources if it cannot be
// written.
void prepare_corpus(const TextToPrepare& text, const std::string& path,
                    const std::function<void(const PreparationProgress&)>& progress);

struct PreparedCorpus {
  ParallelCorpus corpus;
  std::string hash;  // of the prepared lines: CRC-64 of all sources, then of all targets, each with
                     // a newline
};

// Whose files are trained on. Checksums do not tell who has made a file, and what it says of its
// text may not be so.
enum class Preparer { this_user, anybody };

// Error data "PATH: WHY": in the place of a prepared text lies what is neither used nor replaced, a
// file of another user who is not trusted, or no regular file.
class NotOurs : public Error {
 public:
  using Error::Error;
};

// Nothing if there is no such file, if it is damaged, or of another text. One of this user that
// others may have changed is removed, if they are not trusted. NotOurs.
std::optional<PreparedCorpus> open_prepared(const TextToPrepare& text, const std::string& path,
                                            Preparer trusted = Preparer::this_user);

// Of a text in memory, as PreparedCorpus::hash.
std::string hash_of(const ParallelText& text);

}  // namespace xf::data
