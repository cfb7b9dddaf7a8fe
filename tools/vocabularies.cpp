#include "tools/vocabularies.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "data/labels.h"
#include "data/word_tokenizer.h"
#include "tools/given_vocabulary.h"
#include "tools/model_text.h"
#include "tools/piece_learning.h"
#include "tools/text_options.h"

namespace xf::tools {

namespace {

// Keys in the metadata of model.safetensors.
constexpr const char* kHash = "vocabulary";
constexpr const char* kChecksum = "vocabulary_crc64";

using Texts = std::vector<const std::vector<std::string>*>;

std::shared_ptr<const data::Tokenizer> train(const Options& options, const Texts& texts,
                                             const std::vector<std::string>& paths, const Announce& announce,
                                             size_t side = 0) {
  if (options.get_string("tokenizer") != "spm") {
    return data::build_word_tokenizer(texts, {.min_frequency = options.get_int("min-freq"),
                                              .specials = {},
                                              .rules = word_rules(options, paths, side)});
  }
  return learn_pieces(texts, {.vocab_size = static_cast<int32_t>(options.get_int("vocab-size"))}, announce);
}

// A vocabulary that lower-cases words after cutting must get its text with capitals, and no other may.
std::shared_ptr<const data::Tokenizer> load_given(const Options& options, const std::string& path) {
  std::shared_ptr<const data::Tokenizer> tokenizer =
      read_given_vocabulary(path, options.get_string("tokenizer"));
  if (tokenizer->lowercases() != (uses_spacy(options) && options.get_bool("lowercase"))) {
    fail(ErrorKind::usage,
         "{}: {} by spaCy's rules; --tokenizer and --lowercase must say what they said when it was made",
         path, tokenizer->lowercases() ? "cuts and lower-cases words" : "does not lower-case words");
  }
  return tokenizer;
}

// The file `stem` with one of the extensions; "" if there is none.
std::string find(const std::string& folder, const std::string& stem) {
  for (const char* extension : {".spm", ".txt", ".labels"}) {
    const std::string path = folder + "/" + stem + extension;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(path, unknown)) return path;  // a pipe would be waited for
  }
  return "";
}

}  // namespace

std::string Vocabularies::checksum() const {
  return joint() ? source->checksum() : source->checksum() + "+" + target->checksum();
}

std::string Vocabularies::hash() const {
  return joint() ? source->hash() : source->hash() + "+" + target->hash();
}

std::map<std::string, std::string> Vocabularies::files() const {
  if (joint()) return {{std::string("vocab") + source->extension(), source->serialize()}};
  return {{std::string("vocab.source") + source->extension(), source->serialize()},
          {std::string("vocab.target") + target->extension(), target->serialize()}};
}

void Vocabularies::save(const std::string& folder) const {
  for (const auto& [name, bytes] : files()) atomic_write(folder + "/" + name, bytes, Existing::replaced);
}

namespace {

Vocabularies read_or_learn(const Options& options, const data::ParallelText& text, const Announce& announce) {
  const auto& paths = options.get_strings("vocabs");
  const data::TextFiles& first = text.parts.front().files;  // whose names tell the languages
  const nn::ModelType type = model_type(options);
  if (type != nn::ModelType::translation) {
    const bool classes = type == nn::ModelType::classification;
    const std::shared_ptr<const data::Tokenizer> of_text =
        paths.empty() ? train(options, {classes ? &text.source : &text.target},
                              {classes ? first.source() : first.target()}, announce)
                      : load_given(options, paths[0]);
    if (classes) return {of_text, data::build_labels(text.target)};
    return {of_text, of_text};
  }
  if (paths.size() == 1) {
    const auto both = load_given(options, paths[0]);
    return {both, both};
  }
  if (paths.size() == 2) return {load_given(options, paths[0]), load_given(options, paths[1])};
  if (options.get_bool("joint-vocab")) {
    const auto both =
        train(options, {&text.source, &text.target}, {first.source(), first.target()}, announce);
    return {both, both};
  }
  return {train(options, {&text.source}, {first.source()}, announce),
          train(options, {&text.target}, {first.target()}, announce, 1)};
}

// What there is to say of pieces that were learnt.
void add_notes(const Options& options, const data::ParallelText& text, Vocabularies& vocabularies) {
  const int64_t asked = options.get_int("vocab-size");
  const bool has_labels = model_type(options) == nn::ModelType::classification;
  const int64_t fewest = has_labels ? vocabularies.source->size()
                                    : std::min(vocabularies.source->size(), vocabularies.target->size());
  if (fewest < asked) vocabularies.asked = asked;
  vocabularies.lines_cut = data::lines_cut_by_bpe({&text.source, &text.target});
  const std::vector<Texts> learnt_from = vocabularies.joint()
                                             ? std::vector<Texts>{{&text.source, &text.target}}
                                             : std::vector<Texts>{{&text.source}, {&text.target}};
  for (const Texts& texts : learnt_from)
    vocabularies.share = std::min(vocabularies.share, data::bpe_sample(texts).share);
}

}  // namespace

Vocabularies make_vocabularies(const Options& options, const data::ParallelText& text,
                               const Announce& announce) {
  Vocabularies vocabularies = read_or_learn(options, text, announce);
  const bool learnt = options.get_strings("vocabs").empty() && options.get_string("tokenizer") == "spm";
  if (learnt) add_notes(options, text, vocabularies);
  return vocabularies;
}

std::vector<std::string> vocabulary_files(const std::string& folder) {
  if (const std::string joint = find(folder, "vocab"); !joint.empty()) return {joint};
  const std::string source = find(folder, "vocab.source"), target = find(folder, "vocab.target");
  if (source.empty() || target.empty()) return {};
  return {source, target};
}

Vocabularies vocabularies_of(const std::map<std::string, std::string>& files) {
  const auto& [path, bytes] = *files.begin();
  const std::shared_ptr<const data::Tokenizer> source = data::make_tokenizer(bytes, path);
  if (files.size() == 1) return {source, source};
  const auto& [target_path, target] = *files.rbegin();  // "vocab.target" comes behind "vocab.source"
  if (target_path.ends_with(".labels")) return {source, data::make_labels(target, target_path)};
  return {source, data::make_tokenizer(target, target_path)};
}

Vocabularies load_vocabularies(const std::string& folder) {
  const std::vector<std::string> paths = vocabulary_files(folder);
  if (paths.empty()) {
    fail(ErrorKind::data,
         "{}: no vocabulary (vocab.spm) in this folder; give the run folder that xformer-train made", folder);
  }
  std::map<std::string, std::string> files;
  for (const std::string& path : paths) files[path] = read_regular_file(path);
  return vocabularies_of(files);
}

bool has_vocabularies(const std::string& folder) { return !vocabulary_files(folder).empty(); }

std::string find_vocabularies(const std::string& folder) {
  for (auto path = std::filesystem::absolute(folder).lexically_normal(); path.has_relative_path();
       path = path.parent_path()) {
    if (has_vocabularies(path.string())) return path.string();
  }
  return "";
}

void describe_vocabularies(const Vocabularies& vocabularies, nn::Metadata& metadata) {
  metadata[kHash] = vocabularies.hash();
  metadata[kChecksum] = vocabularies.checksum();
}

bool are_of_model(const Vocabularies& vocabularies, const nn::Metadata& metadata) {
  const auto differs = [&](const char* key, const std::string& now) {
    const auto then = metadata.find(key);
    return then != metadata.end() && then->second != now;
  };
  return !differs(kHash, vocabularies.hash()) && !differs(kChecksum, vocabularies.checksum());
}

void check_vocabularies(const Vocabularies& vocabularies, const nn::Metadata& metadata,
                        const std::string& where) {
  if (are_of_model(vocabularies, metadata)) return;
  fail(ErrorKind::data,
       "{}: was trained with another vocabulary, or the vocabulary's file is damaged; put the run's own "
       "vocab.* "
       "back",
       where);
}

}  // namespace xf::tools
