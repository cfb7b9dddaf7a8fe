#include "data/tokenizer.h"

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/word_tokenizer.h"

namespace xf::data {

void Tokenizer::save(const std::string& path) const { atomic_write(path, serialize()); }

std::string Tokenizer::hash() const {
  // FNV-1a, 64 bit: Fowler, Noll, Vo; draft-eastlake-fnv.
  constexpr uint64_t kOffsetBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  uint64_t hash = kOffsetBasis;
  for (int32_t id = 0; id < size(); ++id) {
    const std::string text = piece(id);
    for (size_t i = 0; i <= text.size(); ++i)
      hash = (hash ^ static_cast<unsigned char>(text.c_str()[i])) * kPrime;
  }
  return fmt::format("{:016x}", hash);
}

std::string Tokenizer::checksum() const {
  Crc64 checksum;
  checksum.add(serialize());
  return checksum.hexadecimal();
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path) {
  return make_tokenizer(read_file(path), path);
}

std::unique_ptr<Tokenizer> make_tokenizer(std::string bytes, const std::string& name) {
  if (bytes.empty())
    fail(ErrorKind::data, "{}: is empty; expected a SentencePiece model or a word list", name);
  // A SentencePiece model is a protobuf message whose first field, the pieces, has the tag 0x0A. A word list
  // cannot start with this byte: it is a newline, and a token is never empty.
  constexpr char kPiecesTag = 0x0A;
  if (bytes.front() == kPiecesTag) return make_sentencepiece_tokenizer(bytes, name);
  return make_word_tokenizer(bytes, name);
}

}  // namespace xf::data
