#include "tools/formats/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/number_text.h"

namespace xf::tools::exchange {

namespace {

using Words = std::vector<std::string>;

constexpr size_t kMostRepeated = size_t{1} << 20;  // bytes, by aliases

// A word, or a list's words; what is nested deeper is left out.
struct Value {
  Words words = {};
  bool is_word = false;
};

struct Entry {
  std::string name;  // "" for what is no word
  Value value = {};
};

// The entries of a mapping, one by one: a tree would take a hundred times the bytes, and any number
// of times more of what aliases repeat in each other.
class MappingReader : public YAML::EventHandler {
 public:
  using Mark = YAML::Mark;
  using Anchor = YAML::anchor_t;
  using Style = YAML::EmitterStyle::value;

  explicit MappingReader(const std::string& path) : path_(path) {}

  std::vector<Entry> entries;
  bool is_mapping = false;  // the document

  void OnDocumentStart(const Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const Mark&, Anchor) override { end_node(); }
  void OnAlias(const Mark& mark, Anchor anchor) override {
    const Value& value = anchored_[anchor];
    for (const std::string& word : value.words) repeated_ += sizeof word + word.size();
    if (repeated_ > kMostRepeated)
      fail(ErrorKind::data, "{}:{}: aliases repeat more than {} bytes; write out what they stand for", path_,
           mark.line + 1, kMostRepeated);
    take(value);
  }
  void OnScalar(const Mark&, const std::string&, Anchor anchor, const std::string& word) override {
    const Value value{{word}, true};
    if (anchor != 0) anchored_[anchor] = value;
    take(value);
  }
  void OnSequenceStart(const Mark&, const std::string&, Anchor anchor, Style) override {
    begin(true, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const Mark&, const std::string&, Anchor, Style) override {
    is_mapping = is_mapping || depth_ == 0;
    begin(false, 0);
  }
  void OnMapEnd() override { end(); }

 private:
  // A whole node: a name, a value or one of a list.
  void take(const Value& value) {
    if (depth_ == 1 && is_name_ && value.is_word) entry_.name = value.words.front();
    if (depth_ == 1 && !is_name_) entry_.value = value;
    if (depth_ == 2 && in_list_ && value.is_word) entry_.value.words.push_back(value.words.front());
    end_node();
  }
  void begin(bool is_list, Anchor anchor) {
    if (++depth_ != 2) return;
    in_list_ = is_list && !is_name_;
    anchor_ = anchor;
  }
  void end() {
    if (--depth_ != 1) return;
    if (in_list_ && anchor_ != 0) anchored_[anchor_] = entry_.value;
    end_node();
  }
  // Names and values take turns.
  void end_node() {
    if (depth_ != 1) return;
    if (!is_name_) entries.push_back(std::exchange(entry_, {}));
    is_name_ = !is_name_;
  }

  const std::string& path_;
  int depth_ = 0;
  bool is_name_ = true, in_list_ = false;
  Entry entry_;
  Anchor anchor_ = 0;  // of the list that is read
  std::map<Anchor, Value> anchored_;
  size_t repeated_ = 0;
};

std::vector<Entry> mapping(std::string_view text, const std::string& path) {
  MappingReader reader(path);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser(stream).HandleNextDocument(reader);
  } catch (const YAML::Exception& error) {
    fail(ErrorKind::data, "{}: not valid YAML: line {}: {}; copy it again", path, error.mark.line + 1,
         error.msg);
  }
  if (!reader.is_mapping) fail(ErrorKind::data, "{}: not names with values; copy it again", path);
  return std::move(reader.entries);
}

}  // namespace

std::map<std::string, Words> parse_yaml_options(std::string_view text, const std::string& path) {
  std::map<std::string, Words> options;
  for (Entry& entry : mapping(text, path)) {
    Words& words = options[entry.name];
    std::ranges::move(entry.value.words, std::back_inserter(words));
  }
  return options;
}

Words parse_yaml_pieces(std::string_view text, const std::string& path) {
  const std::vector<Entry> entries = mapping(text, path);
  Words pieces(entries.size());
  std::set<std::string_view> seen;
  for (const Entry& entry : entries) {
    const std::string word = entry.value.is_word ? entry.value.words.front() : "";
    const size_t id = number_in<size_t>(word).value_or(pieces.size());
    if (id >= pieces.size() || !pieces[id].empty())
      fail(ErrorKind::data, "{}: the ids are not 0 to {}, each once: see '{}'", path, pieces.size() - 1,
           word);
    if (entry.name.empty() || !seen.insert(entry.name).second)
      fail(ErrorKind::data, "{}: piece {} is empty or appears twice", path, id);
    pieces[id] = entry.name;
  }
  return pieces;
}

}  // namespace xf::tools::exchange
