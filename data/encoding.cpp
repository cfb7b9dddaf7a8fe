#include "data/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "data/byte_stream.h"
#include "data/text_file.h"

namespace xf::data {

namespace {

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

Converter open_converter(const std::string& encoding) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding.c_str(), &status), ucnv_close);
  if (U_FAILURE(status) || encoding.empty())
    fail(ErrorKind::usage,
         "encoding: ICU does not know '{}'; give a name such as utf-8, latin-1, cp1252, utf-16", encoding);
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  return converter;
}

std::string all_bytes(const std::string& path) {
  ByteStream stream(path);
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  for (int64_t got; (got = stream.read(buffer.data(), buffer.size())) != 0;) {
    if (got < 0)
      fail(ErrorKind::data, "{}: cannot read: {}; fetch or compress the file again", path, stream.problem());
    bytes.append(buffer.data(), static_cast<size_t>(got));
  }
  return bytes;
}

// A name that leaves the order of bytes to a mark at the beginning: ICU would take the big end
// first, others the little one.
void check_byte_order(const Converter& converter, std::string_view bytes, const std::string& encoding,
                      const std::string& path) {
  const UConverterType type = ucnv_getType(converter.get());
  UErrorCode status = U_ZERO_ERROR;
  int32_t mark = 0;
  const char* const detected =
      ucnv_detectUnicodeSignature(bytes.data(), static_cast<int32_t>(bytes.size()), &mark, &status);
  if ((type != UCNV_UTF16 && type != UCNV_UTF32) || detected || bytes.empty()) return;
  fail(ErrorKind::data,
       "{}: has no byte order mark, so that {} does not say how to read it; give --encoding {}le or {}be",
       path, encoding, encoding, encoding);
}

// LF ends a line, a CR before it is dropped.
std::vector<std::string> lines_of(std::string_view text, const std::string& path) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    check_length(path, std::ssize(lines) + 1, end);
    std::string& line = lines.emplace_back(text.substr(0, end));
    if (line.ends_with('\r')) line.pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_lines_in(const std::string& encoding, const std::string& path) {
  const Converter converter = open_converter(encoding);
  const std::string bytes = all_bytes(path);
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    fail(ErrorKind::data, "{}: over 2 GB; convert the file with iconv", path);
  check_byte_order(converter, bytes, encoding, path);
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString text(bytes.data(), static_cast<int32_t>(bytes.size()), converter.get(), status);
  if (U_FAILURE(status))
    fail(ErrorKind::data, "{}: is not text in {}; name its encoding, or convert the file with iconv", path,
         encoding);
  std::string utf8;
  text.toUTF8String(utf8);
  std::vector<std::string> lines = lines_of(utf8, path);
  if (lines.empty() && path != "-")
    fail(ErrorKind::data, "{}: is empty; give a file with one sentence a line", path);
  return lines;
}

}  // namespace xf::data
