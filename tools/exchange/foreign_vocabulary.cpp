#include "tools/exchange/foreign_vocabulary.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "tools/progress.h"

namespace xf::tools::exchange {

namespace {

// Those of the source and of the target; one where both sides share it.
std::vector<std::string> files_in(const std::string& folder) {
  if (const auto ours = vocabulary_files(folder); !ours.empty()) return ours;
  const auto there = [&](const char* name) { return std::filesystem::exists(folder + "/" + name); };
  if (there("source.spm") && there("target.spm")) return {folder + "/source.spm", folder + "/target.spm"};
  for (const char* name : {"sentencepiece.model", "sentencepiece.bpe.model", "spm.model"}) {
    if (there(name)) return {folder + "/" + name};
  }
  fail(ErrorKind::data, "{}: no SentencePiece model (source.spm and target.spm, vocab.spm) in this folder",
       folder);
}

std::shared_ptr<const data::Tokenizer> tokenizer_of(const std::string& path,
                                                    const ForeignVocabulary& vocabulary,
                                                    data::MissingPieces missing,
                                                    std::vector<std::string>& warnings) {
  std::string bytes = read_file(path);
  std::shared_ptr<const data::Tokenizer> tokenizer = data::make_tokenizer(bytes, path);
  if (std::string_view(tokenizer->extension()) == ".spm") {
    const auto [with_ids, left_out] =
        data::sentencepiece_with_ids(bytes, vocabulary.pieces, vocabulary.specials, missing, path);
    if (left_out > 0)
      warnings.push_back(
          fmt::format("{}: the model's vocabulary lacks {} of it; text with them is cut otherwise", path,
                      counted(left_out, "piece")));
    return data::make_tokenizer(with_ids, path);
  }
  bool same = tokenizer->size() == static_cast<int64_t>(vocabulary.pieces.size());
  for (int32_t id = 0; same && id < tokenizer->size(); ++id)
    same = tokenizer->piece(id) == vocabulary.pieces[static_cast<size_t>(id)];
  if (!same) fail(ErrorKind::data, "{}: its words are not those of the model's vocabulary", path);
  return tokenizer;
}

}  // namespace

Vocabularies foreign_vocabularies(const std::string& folder, const ForeignVocabulary& source,
                                  const ForeignVocabulary& target, bool joint,
                                  std::vector<std::string>& warnings) {
  return foreign_vocabularies(files_in(folder), source, target, joint, warnings);
}

Vocabularies foreign_vocabularies(const std::vector<std::string>& files, const ForeignVocabulary& source,
                                  const ForeignVocabulary& target, bool joint,
                                  std::vector<std::string>& warnings) {
  // What a text's side does not know must not be cut out of it, and what the model says is to be read.
  const auto of_source = tokenizer_of(files.front(), source, data::MissingPieces::silent, warnings);
  const auto of_target = tokenizer_of(files.back(), target, data::MissingPieces::decoded, warnings);
  if (joint && of_source->checksum() == of_target->checksum()) return {of_source, of_source};
  return {of_source, of_target};
}

}  // namespace xf::tools::exchange
