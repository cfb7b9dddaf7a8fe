// The fields of a message in Protocol Buffers' wire format, which a SentencePiece model is, one
// after the other, and how fields are written. Groups, long deprecated, are no part of it.
// Source: https://protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xf::data {

class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : rest_(message) {}

  // False at the end, and where the bytes are no message: then not all were read.
  bool next() {
    if (rest_.empty()) return false;
    const std::string_view before = rest_;
    is_message_ = read();
    raw = before.substr(0, before.size() - rest_.size());
    return is_message_;
  }
  bool all_read() const { return is_message_ && rest_.empty(); }
  uint64_t number = 0;
  uint64_t value = 0;      // of integers
  std::string_view bytes;  // of strings and messages
  std::string_view raw;    // the field as it is written

 private:
  bool read() {
    const auto tag = varint();
    if (!tag) return false;
    number = *tag >> 3;
    bytes = {};
    switch (*tag & 7) {
      case 0: return read_value();
      case 1: return take(8).has_value();
      case 2: return read_bytes();
      case 5: return take(4).has_value();
      default: return false;
    }
  }
  bool read_value() {
    const auto found = varint();
    if (found) value = *found;
    return found.has_value();
  }
  bool read_bytes() {
    const auto length = varint();
    const auto taken = length ? take(*length) : std::nullopt;
    if (taken) bytes = *taken;
    return taken.has_value();
  }
  std::optional<uint64_t> varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift < 64) result |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return result;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> take(uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view rest_;
  bool is_message_ = true;
};

inline void append_varint(std::string& message, uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(value | 0x80);
  message += static_cast<char>(value);
}
inline void append_integer(std::string& message, uint64_t number, uint64_t value) {
  append_varint(message, number << 3);
  append_varint(message, value);
}
// A string or a message.
inline void append_bytes(std::string& message, uint64_t number, std::string_view bytes) {
  append_varint(message, number << 3 | 2);
  append_varint(message, bytes.size());
  message += bytes;
}

}  // namespace xf::data
