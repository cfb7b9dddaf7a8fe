#include "data/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <unordered_map>

#include "core/error.h"

namespace xf::data {
namespace {

namespace sp = sentencepiece;

class Lines : public sp::SentenceIterator {
 public:
  explicit Lines(const std::vector<const std::vector<std::string>*>& texts) : texts_(texts) {
    skip_ended_texts();
  }
  bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    ++line_;
    skip_ended_texts();
  }
  const std::string& value() const override { return (*texts_[text_])[line_]; }
  sp::util::Status status() const override { return {}; }

 private:
  void skip_ended_texts() {
    for (; text_ < texts_.size() && line_ == texts_[text_]->size(); ++text_) line_ = 0;
  }
  const std::vector<const std::vector<std::string>*>& texts_;
  size_t text_ = 0, line_ = 0;
};

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(const std::string& bytes, const std::string& name) : bytes_(bytes) {
    if (!processor_.LoadFromSerializedProto(bytes).ok()) {
      fail(ErrorKind::data, "{}: not a SentencePiece model, or a truncated one; train or copy it again",
           name);
    }
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int> ids;
    check(processor_.Encode(text, &ids), "encode");
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    for (const int32_t id : ids) check_id(id);
    std::string text;
    check(processor_.Decode(std::vector<int>(ids.begin(), ids.end()), &text), "decode");
    return text;
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return processor_.IdToPiece(id);
  }
  int32_t size() const override { return processor_.GetPieceSize(); }
  int32_t unk_id() const override { return processor_.unk_id(); }
  int32_t pad_id() const override { return processor_.pad_id(); }
  int32_t bos_id() const override { return processor_.bos_id(); }
  int32_t eos_id() const override { return processor_.eos_id(); }
  std::string serialize() const override { return bytes_; }
  const char* extension() const override { return ".spm"; }

 private:
  void check_id(int32_t id) const {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
  }
  static void check(const sp::util::Status& status, const char* what) {
    if (!status.ok()) fail(ErrorKind::failure, "tokenizer: {}: {}", what, status.message());
  }

  sp::SentencePieceProcessor processor_;
  std::string bytes_;
};

}  // namespace

std::string train_bpe(const std::vector<const std::vector<std::string>*>& texts, const BpeOptions& options) {
  Lines lines(texts);
  if (lines.done()) fail(ErrorKind::data, "subwords: there is no text to learn from");
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", "bpe"},
      {"vocab_size", std::to_string(options.vocab_size)},
      {"hard_vocab_limit", "false"},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"normalization_rule_name", "identity"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "3"},
      {"num_threads", "1"},
      {"minloglevel", "3"},  // fatal only: what goes wrong comes back in the status
  };
  std::string bytes;
  const sp::util::Status status = sp::SentencePieceTrainer::Train(settings, &lines, &bytes);
  if (!status.ok()) {
    fail(ErrorKind::usage, "subwords: cannot learn {} pieces: {}; try another --vocab-size",
         options.vocab_size, status.message());
  }
  return bytes;
}

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& bytes, const std::string& name) {
  return std::make_unique<SentencePieceTokenizer>(bytes, name);
}

}  // namespace xf::data
