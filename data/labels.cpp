#include "data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>

#include "core/error.h"
#include "data/unicode.h"

namespace xf::data {
namespace {

class Labels : public Tokenizer {
 public:
  Labels(std::vector<std::string> names, const std::string& from) : names_(std::move(names)) {
    if (names_.size() < 2)
      fail(ErrorKind::data, "{}: {}; a classifier needs two or more: give text of each", from,
           names_.empty() ? "no class" : "1 class");
    if (std::ranges::any_of(names_, [](const std::string& name) { return name.find('\t') != name.npos; }))
      fail(ErrorKind::data, "{}: a class contains a tab; write a space", from);
    if (std::ranges::adjacent_find(names_, std::greater_equal()) != names_.end())
      fail(ErrorKind::data, "{}: the names of classes must be sorted, without repetition", from);
    for (int32_t id = 0; id < size(); ++id) ids_.emplace(piece(id), id);
    // an earlier version's
    for (int32_t id = 0; id < size(); ++id) ids_.emplace(class_name(piece(id)), id);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    if (const auto found = ids_.find(class_name(text)); found != ids_.end()) return {found->second};
    fail(ErrorKind::data, "'{}' is not a class of this model; its classes: {}", text,
         fmt::join(names_, ", "));
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const int32_t id : ids) text += (text.empty() ? "" : " ") + piece(id);
    return text;
  }
  std::string piece(int32_t id) const override {
    XF_CHECK(id >= 0 && id < size(), "classes: id must be in [0, {}), got {}", size(), id);
    return names_[static_cast<size_t>(id)];
  }
  int32_t size() const override { return static_cast<int32_t>(names_.size()); }
  const char* extension() const override { return ".labels"; }
  std::string serialize() const override {
    std::string bytes;
    for (const std::string& name : names_) bytes += name + '\n';
    return bytes;
  }

 private:
  std::vector<std::string> names_;  // sorted
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace

std::string class_name(std::string_view text) {
  const auto shows = [](char32_t c) { return !is_space(c) && !is_zero_width(c) && !is_bidi_control(c); };
  const std::u32string characters = to_utf32(normalize_nfc(text));
  const auto begin = std::ranges::find_if(characters, shows);
  const auto end = std::find_if(characters.rbegin(), std::make_reverse_iterator(begin), shows).base();
  return to_utf8(std::u32string(begin, end));
}

std::unique_ptr<Tokenizer> build_labels(const std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const std::string& line : lines) names.insert(class_name(line));
  return std::make_unique<Labels>(std::vector(names.begin(), names.end()), "the training text");
}

std::unique_ptr<Tokenizer> make_labels(const std::string& bytes, const std::string& name) {
  std::vector<std::string> names;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return std::make_unique<Labels>(std::move(names), name);
}

}  // namespace xf::data
