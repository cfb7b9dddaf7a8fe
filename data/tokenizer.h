// Text to ids and back. Two kinds: SentencePiece BPE (the default), and words of a list, which are
// ICU's, single characters, or cut by rules that are added (data/word_rules.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xf::data {

// Ids are 0 .. size()-1. A special id that the vocabulary lacks is -1 (existing SentencePiece
// models often have no <pad>; nothing here needs one, batches are packed). Immutable after
// construction; encode and decode are thread-safe.
class Tokenizer {
 public:
  struct SpecialIds {
    int32_t unk = -1, pad = -1, bos = -1, eos = -1;
    bool operator==(const SpecialIds&) const = default;
  };

  virtual ~Tokenizer() = default;

  // Ids of the text's pieces, without <s> and </s>; "<s>" in the text is none of them. The text is
  // valid UTF-8, already prepared (TextPipeline in data/parallel_corpus.h). Tabs and other
  // separators (is_separator) are spaces, but for vocabularies of single characters, words by added
  // rules, and pieces with separators in them.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;

  // The pieces that encode() cuts the text into. What no piece covers stands as it is in the text.
  virtual std::vector<std::string> cut(std::string_view text) const;

  // The text of the pieces; <pad>, <s> and </s> vanish, <unk> leaves a visible mark. Error failure
  // for an unknown id.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  // The same with one space between any two words: by a vocabulary of words, what it cuts apart
  // stays apart.
  virtual std::string decode_apart(std::span<const int32_t> ids) const { return decode(ids); }

  virtual std::string piece(int32_t id) const = 0;
  virtual int32_t size() const = 0;
  int32_t unk_id() const { return special_.unk; }
  int32_t pad_id() const { return special_.pad; }
  int32_t bos_id() const { return special_.bos; }
  int32_t eos_id() const { return special_.eos; }
  const SpecialIds& special_ids() const { return special_; }

  // The entries that stand in front of a text as they are (data/language_tags.h): a multilingual
  // model's languages.
  virtual std::vector<std::string> tags() const { return {}; }

  // Whether encode() lower-cases, after it has cut words. Text for it must not be lower-cased
  // before.
  virtual bool lowercases() const { return false; }

  // The vocabulary file's bytes; make_tokenizer() restores an equal tokenizer from them.
  virtual std::string serialize() const = 0;

  // ".spm" or ".txt": what the vocabulary file's name should end in.
  virtual const char* extension() const = 0;

  void save(const std::string& path) const;  // atomic

  // A name for people, 16 hex digits: FNV-1a (64 bit) over the pieces in id order, each followed by
  // a zero byte. Two files with the same pieces have the same, whatever else they hold.
  std::string hash() const;

  // CRC-64 of serialize(), 16 hex digits: scores, kinds of piece and normalisation decide about ids
  // as well.
  std::string checksum() const;

 protected:
  Tokenizer() = default;
  explicit Tokenizer(const SpecialIds& special) : special_(special) {}

  SpecialIds special_;  // an id that the vocabulary lacks is -1
};

// Whether more than half of the text's characters, white space aside, are in no piece. `ids`:
// encode(text).
bool is_mostly_unknown(const Tokenizer& tokenizer, std::string_view text, std::span<const int32_t> ids);

// From the bytes of a SentencePiece .model/.spm file or of a word list (one token per line, id =
// line), told apart by content. Error data if it is neither; `name` stands for the file in error
// messages.
std::unique_ptr<Tokenizer> make_tokenizer(std::string bytes, const std::string& name);

}  // namespace xf::data
