#include "data/sentencepiece_tokenizer.h"

#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "data/listed_tokenizer.h"
#include "data/sentencepiece_processor.h"

namespace xf::data {
namespace {

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(const std::string& bytes, const std::string& name)
      : model_(bytes, name), bytes_(bytes) {}

  std::vector<int32_t> encode(std::string_view text) const override { return model_.ids(text); }
  std::vector<std::string> cut(std::string_view text) const override { return model_.pieces(text); }
  std::string decode(std::span<const int32_t> ids) const override {
    for (const int32_t id : ids) check_id(id);
    std::string text;
    model_.check(model_->Decode(std::vector<int>(ids.begin(), ids.end()), &text));
    return on_one_line(std::move(text));
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return model_->IdToPiece(id);
  }
  int32_t size() const override { return model_->GetPieceSize(); }
  int32_t unk_id() const override { return model_->unk_id(); }
  int32_t pad_id() const override { return model_->pad_id(); }
  int32_t bos_id() const override { return model_->bos_id(); }
  int32_t eos_id() const override { return model_->eos_id(); }
  std::string serialize() const override { return bytes_; }
  const char* extension() const override { return ".spm"; }

 private:
  void check_id(int32_t id) const {
    XF_CHECK(id >= 0 && id < size(), "tokenizer: id must be in [0, {}), got {}", size(), id);
  }

  SentencePieceModel model_;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_sentencepiece_tokenizer(const std::string& bytes, const std::string& name) {
  if (std::optional<PieceList> list = list_of(bytes))
    return make_listed_tokenizer(bytes, *std::move(list), name);
  return std::make_unique<SentencePieceTokenizer>(bytes, name);
}

}  // namespace xf::data
