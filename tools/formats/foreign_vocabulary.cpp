#include "tools/formats/foreign_vocabulary.h"

#include <fmt/format.h>

#include <utility>

#include <algorithm>
#include "core/error.h"
#include "core/input_limits.h"
#include "data/vocabularies.h"
#include "data/word_tokenizer.h"
#include "tools/console/progress.h"
#include "tools/formats/settings.h"

namespace xf::tools::exchange {

namespace {

// Those of the source and of the target; one where both sides share it.
std::vector<std::string> files_in(const std::string& folder) {
  if (const auto ours = data::vocabulary_files(folder); !ours.empty()) return ours;
  const auto there = [&](const char* name) { return is_there(folder + "/" + name); };
  if (there("source.spm") && there("target.spm")) return {folder + "/source.spm", folder + "/target.spm"};
  for (const char* name : {"sentencepiece.model", "sentencepiece.bpe.model", "spm.model"}) {
    if (there(name)) return {folder + "/" + name};
  }
  return {};
}

void check_pieces(const ForeignVocabulary& vocabulary, const std::string& where) {
  if (std::ssize(vocabulary.pieces) > limits::kMostPieces)
    fail(ErrorKind::data, "{}: the model's vocabulary has {} pieces; up to {} are read", where,
         vocabulary.pieces.size(), limits::kMostPieces);
  const auto longest = std::ranges::max_element(vocabulary.pieces, {}, &std::string::size);
  if (longest != vocabulary.pieces.end() && longest->size() > limits::kLongestPiece)
    fail(ErrorKind::data, "{}: a piece of the model's vocabulary has {} bytes; up to {} are read", where,
         longest->size(), limits::kLongestPiece);
}

// For text that is cut into the list's entries already.
std::shared_ptr<const data::Tokenizer> words_as_they_stand(const ForeignVocabulary& vocabulary,
                                                           const std::string& folder) {
  const auto& [unk, bos, eos, pad] = vocabulary.specials;
  return data::make_word_tokenizer(fmt::format("#words whitespace\n#specials\t{}\t{}\t{}\t{}\n{}\n", unk, pad,
                                               bos, eos, fmt::join(vocabulary.pieces, "\n")),
                                   folder);
}

std::shared_ptr<const data::Tokenizer> tokenizer_of(const std::string& path,
                                                    const ForeignVocabulary& vocabulary,
                                                    std::vector<std::string>& warnings) {
  std::string bytes = read_model_text(path);
  std::shared_ptr<const data::Tokenizer> tokenizer = data::make_tokenizer(bytes, path);
  if (std::string_view(tokenizer->extension()) == ".spm") {
    if (const int64_t missing = data::pieces_without_id(bytes, vocabulary); missing > 0)
      warnings.push_back(fmt::format("{}: the model's vocabulary lacks {} of it, which are <unk> in text",
                                     path, counted(missing, "piece")));
    return data::make_tokenizer(data::sentencepiece_with_ids(bytes, vocabulary, path), path);
  }
  bool same = tokenizer->size() == static_cast<int64_t>(vocabulary.pieces.size());
  for (int32_t id = 0; same && id < tokenizer->size(); ++id)
    same = tokenizer->piece(id) == vocabulary.pieces[static_cast<size_t>(id)];
  if (!same) fail(ErrorKind::data, "{}: its words are not those of the model's vocabulary", path);
  return tokenizer;
}

}  // namespace

data::Vocabularies foreign_vocabularies(const std::string& folder, const ForeignVocabulary& source,
                                        const ForeignVocabulary& target, bool joint,
                                        std::vector<std::string>& warnings) {
  if (const std::vector<std::string> files = files_in(folder); !files.empty())
    return foreign_vocabularies(files, source, target, joint, warnings);
  warnings.push_back(fmt::format(
      "{}: no SentencePiece model ({}, or vocab.spm) in this folder; lines must be pieces of the model's "
      "vocabulary, separated by spaces, and so are translations",
      folder, missing_text_model(folder)));
  for (const ForeignVocabulary* vocabulary : {&source, &target}) check_pieces(*vocabulary, folder);
  const auto of_source = words_as_they_stand(source, folder);
  return {of_source, joint ? of_source : words_as_they_stand(target, folder)};
}

std::string missing_text_model(const std::string& folder) {
  if (!files_in(folder).empty()) return "";
  std::vector<const char*> missing = {"source.spm", "target.spm"};
  std::erase_if(missing, [&](const char* name) { return is_there(folder + "/" + name); });
  return fmt::format("{}", fmt::join(missing, " and "));
}

data::Vocabularies foreign_vocabularies(const std::vector<std::string>& files,
                                        const ForeignVocabulary& source, const ForeignVocabulary& target,
                                        bool joint, std::vector<std::string>& warnings) {
  for (const ForeignVocabulary* vocabulary : {&source, &target}) check_pieces(*vocabulary, files.front());
  const auto of_source = tokenizer_of(files.front(), source, warnings);
  const auto of_target = tokenizer_of(files.back(), target, warnings);
  if (joint && of_source->checksum() == of_target->checksum()) return {of_source, of_source};
  return {of_source, of_target};
}

}  // namespace xf::tools::exchange
