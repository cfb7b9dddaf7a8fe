#include "data/sentencepiece_damage.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/input_limits.h"
#include "data/protobuf_fields.h"

namespace xf::data {
namespace {

// A trie in a double array (S. Yata's darts-clone), as it is walked: from a node's base the child
// for byte c lies at base ^ c, and is one if its label says c.
class DoubleArray {
 public:
  explicit DoubleArray(std::string_view bytes) : units_(bytes.size() / sizeof(uint32_t)) {
    if (!units_.empty()) std::memcpy(units_.data(), bytes.data(), units_.size() * sizeof(uint32_t));
  }

  // Whether every walk stays inside, and every value it may come to is below `bound`.
  bool is_closed(size_t bound) const {
    if (units_.empty()) return false;
    std::vector<bool> seen(units_.size());
    std::vector<size_t> bases = {offset(0)};
    while (!bases.empty()) {
      const size_t base = bases.back();
      bases.pop_back();
      if ((base | 0xFF) >= units_.size()) return false;
      for (size_t c = 0; c <= 0xFF; ++c) {
        const size_t child = base ^ c;
        if ((units_[child] & kLabel) != c || seen[child]) continue;
        seen[child] = true;
        const size_t below = child ^ offset(child);
        if (has_leaf(child) && (below >= units_.size() || (units_[below] & ~kIsLeaf) >= bound)) return false;
        bases.push_back(below);
      }
    }
    return true;
  }

 private:
  static constexpr uint32_t kIsLeaf = 1u << 31, kLabel = kIsLeaf | 0xFF;

  size_t offset(size_t unit) const { return (units_[unit] >> 10) << ((units_[unit] & (1u << 9)) >> 6); }
  bool has_leaf(size_t unit) const { return (units_[unit] >> 8 & 1) != 0; }

  std::vector<uint32_t> units_;
};

// The size of a trie, the trie, and the texts, each ended by a zero, at which its values point.
bool is_character_map(std::string_view map) {
  uint32_t size = 0;
  if (map.size() < sizeof size) return map.empty();
  std::memcpy(&size, map.data(), sizeof size);
  map.remove_prefix(sizeof size);
  if (size >= map.size() || size % sizeof(uint32_t) != 0 || map.back() != 0) return false;
  return DoubleArray(map.substr(0, size)).is_closed(map.size() - size);
}

const char* piece_damage(std::string_view piece) {
  ProtobufFields fields(piece);
  while (fields.next()) {
    if (fields.number == 1 && fields.bytes.find('\0') != std::string_view::npos)
      return "a piece with a zero byte";
    if (fields.number == 1 && fields.bytes.size() > limits::kLongestPiece) return "an overlong piece";
  }
  return fields.all_read() ? nullptr : "not the piece of a SentencePiece model";
}

const char* normalizer_damage(std::string_view normalizer) {
  ProtobufFields fields(normalizer);
  while (fields.next()) {
    if (fields.number == 2 && !is_character_map(fields.bytes)) return "an invalid character map";
  }
  return fields.all_read() ? nullptr : "not the normaliser of a SentencePiece model";
}

}  // namespace

// ModelProto's field 1 is a piece, 3 and 5 are what is done to text before it is cut and after it
// was joined.
const char* sentencepiece_damage(std::string_view model) {
  ProtobufFields fields(model);
  int64_t pieces = 0;
  while (fields.next()) {
    if (fields.number == 1 && ++pieces > limits::kMostPieces) return "more pieces than a vocabulary has";
    const char* damage = nullptr;
    if (fields.number == 1) damage = piece_damage(fields.bytes);
    if (fields.number == 3 || fields.number == 5) damage = normalizer_damage(fields.bytes);
    if (damage) return damage;
  }
  return fields.all_read() ? nullptr : "not a SentencePiece model, or a truncated one";
}

}  // namespace xf::data
