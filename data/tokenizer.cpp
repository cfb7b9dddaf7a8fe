#include "data/tokenizer.h"

#include <algorithm>
#include <iterator>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/unicode.h"
#include "data/word_tokenizer.h"

namespace xf::data {

std::vector<std::string> Tokenizer::cut(std::string_view text) const {
  std::vector<std::string> pieces;
  for (const int32_t id : encode(text)) pieces.push_back(piece(id));
  return pieces;
}

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

namespace {

// White space aside, and the mark that stands for it in pieces.
int64_t count_visible(std::string_view text) {
  return std::ranges::count_if(to_utf32(text), [](char32_t c) { return c != U'\u2581' && !is_space(c); });
}

}  // namespace

bool is_mostly_unknown(const Tokenizer& tokenizer, std::string_view text, std::span<const int32_t> ids) {
  std::vector<int32_t> known;
  std::ranges::copy_if(ids, std::back_inserter(known), [&](int32_t id) { return id != tokenizer.unk_id(); });
  return known.size() < ids.size() && 2 * count_visible(tokenizer.decode(known)) < count_visible(text);
}

std::unique_ptr<Tokenizer> make_tokenizer(std::string bytes, const std::string& name) {
  if (bytes.empty())
    fail(ErrorKind::data, "{}: is empty; expected a SentencePiece model or a word list", name);
  // A SentencePiece model is a protobuf message whose first field, the pieces, has the tag 0x0A. A
  // word list cannot start with this byte: it is a newline, and a token is never empty.
  constexpr char kPiecesTag = 0x0A;
  if (bytes.front() == kPiecesTag) return make_sentencepiece_tokenizer(bytes, name);
  return make_word_tokenizer(bytes, name);
}

}  // namespace xf::data
