#include "data/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/error.h"

namespace xf::data {
namespace {

class Labels : public Tokenizer {
 public:
  Labels(std::vector<std::string> names, const std::string& from) : names_(std::move(names)) {
    if (names_.size() < 2)
      fail(ErrorKind::data, "{}: {}; a classifier needs two or more: give text of each", from,
           names_.empty() ? "no class" : "1 class");
    if (std::ranges::any_of(names_, [](const std::string& name) { return name.find('\t') != name.npos; }))
      fail(ErrorKind::data, "{}: a class with a tab in it; write a space", from);
    if (std::ranges::adjacent_find(names_, std::greater_equal()) != names_.end())
      fail(ErrorKind::data, "{}: the names of classes must be sorted, and each be there once", from);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    const auto found = std::ranges::lower_bound(names_, text);
    if (found != names_.end() && *found == text) return {static_cast<int32_t>(found - names_.begin())};
    fail(ErrorKind::data, "'{}' is no class of this model; its classes: {}", text, fmt::join(names_, ", "));
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
  int32_t unk_id() const override { return -1; }
  int32_t pad_id() const override { return -1; }
  int32_t bos_id() const override { return -1; }
  int32_t eos_id() const override { return -1; }
  const char* extension() const override { return ".labels"; }
  std::string serialize() const override {
    std::string bytes;
    for (const std::string& name : names_) bytes += name + '\n';
    return bytes;
  }

 private:
  std::vector<std::string> names_;  // sorted
};

}  // namespace

std::unique_ptr<Tokenizer> build_labels(const std::vector<std::string>& lines) {
  const std::set<std::string> names(lines.begin(), lines.end());
  return std::make_unique<Labels>(std::vector(names.begin(), names.end()), "the training text");
}

std::unique_ptr<Tokenizer> make_labels(const std::string& bytes, const std::string& name) {
  std::vector<std::string> names;
  std::istringstream lines(bytes);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return std::make_unique<Labels>(std::move(names), name);
}

}  // namespace xf::data
