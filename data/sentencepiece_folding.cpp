#include "data/sentencepiece_folding.h"

#include <sentencepiece_trainer.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.h"
#include "data/protobuf_fields.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/unicode.h"

namespace xf::data {

namespace {

// Numbers of fields in SentencePiece's sentencepiece_model.proto.
constexpr uint64_t kNormalizer = 3;           // of a model
constexpr uint64_t kName = 1, kCharsmap = 2;  // of a normaliser
constexpr char32_t kLastCodePoint = 0x10FFFF;

std::string_view field_of(std::string_view message, uint64_t number) {
  std::string_view found;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.number == number) found = fields.bytes;
  }
  return found;
}

using Rules = std::map<std::u32string, std::u32string>;

void add_rule(Rules& rules, const std::u32string& from, const std::u32string& to) {
  if (from != to) rules.emplace(from, to);
}

// Every character, and each way of writing it with signs of its own: all of them, or the last few.
Rules folding_rules() {
  Rules rules;
  for (char32_t c = 1; c <= kLastCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    const std::string composed = normalize_nfc(to_utf8(std::u32string{c}));
    const std::u32string folded = to_utf32(fold_case(composed));
    add_rule(rules, {c}, folded);
    const std::u32string parts = to_utf32(normalize_nfd(composed));
    for (size_t joined = 1; joined < parts.size(); ++joined)
      add_rule(rules, to_utf32(normalize_nfc(to_utf8(parts.substr(0, joined)))) + parts.substr(joined),
               folded);
  }
  return rules;
}

std::string hexadecimal(const std::u32string& text) {
  std::string words;
  for (const char32_t c : text) words += fmt::format("{}{:X}", words.empty() ? "" : " ", uint32_t{c});
  return words;
}

// A file for the library, which reads rules from nowhere else.
class RuleFile {
 public:
  RuleFile() {
    std::string name = (std::filesystem::temp_directory_path() / "xformer-rules-XXXXXX").string();
    const int made = ::mkstemp(name.data());
    if (made < 0) {
      fail(ErrorKind::resources, "{}: cannot make a file there: {}; set TMPDIR to another folder", name,
           std::strerror(errno));
    }
    ::close(made);
    path_ = name;
    std::ofstream file(path_);
    for (const auto& [from, to] : folding_rules())
      file << hexadecimal(from) << '\t' << hexadecimal(to) << '\n';
    if (!file.flush()) fail(ErrorKind::resources, "{}: cannot write; set TMPDIR to another folder", path_);
  }
  ~RuleFile() {
    std::error_code none;
    std::filesystem::remove(path_, none);
  }
  RuleFile(const RuleFile&) = delete;
  RuleFile& operator=(const RuleFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The rules as the library compiles them, in a model that is trained for nothing else.
std::string compiled_rules() {
  namespace sp = sentencepiece;
  class OneLine : public sp::SentenceIterator {
   public:
    bool done() const override { return done_; }
    void Next() override { done_ = true; }
    const std::string& value() const override { return line_; }
    sp::util::Status status() const override { return {}; }

   private:
    bool done_ = false;
    std::string line_ = "a";
  } line;
  const RuleFile rules;
  std::string model;
  const sp::util::Status status = sp::SentencePieceTrainer::Train({{"model_type", "char"},
                                                                   {"vocab_size", "5"},
                                                                   {"hard_vocab_limit", "false"},
                                                                   {"normalization_rule_tsv", rules.path()},
                                                                   {"minloglevel", "3"}},
                                                                  &line, &model);
  if (!status.ok())
    fail(ErrorKind::failure, "SentencePiece: cannot build the rules for lower case: {}", status.message());
  return std::string(field_of(field_of(model, kNormalizer), kCharsmap));
}

}  // namespace

bool sentencepiece_keeps_text(const std::string& model) {
  return field_of(field_of(model, kNormalizer), kCharsmap).empty();
}

std::string sentencepiece_folding_case(const std::string& model, const std::string& name) {
  static const std::string rules = compiled_rules();
  std::string normalizer;
  for (ProtobufFields fields(field_of(model, kNormalizer)); fields.next();) {
    if (fields.number != kName && fields.number != kCharsmap) normalizer += fields.raw;
  }
  append_bytes(normalizer, kName, "lower_nfc");
  append_bytes(normalizer, kCharsmap, rules);
  std::string result;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != kNormalizer) result += fields.raw;
  }
  append_bytes(result, kNormalizer, normalizer);
  make_sentencepiece_tokenizer(result, name);  // the library takes it
  return result;
}

}  // namespace xf::data
