#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "core/child_process.h"
#include "core/error.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/unicode.h"
#include "data/word_boundaries.h"

namespace xf::data {
namespace {

namespace sp = sentencepiece;

using Texts = std::vector<const std::vector<std::string>*>;

constexpr auto kLongestLine = static_cast<size_t>(kLongestBpeLine);
constexpr size_t kSpecials = 4;
constexpr size_t kLongestWord = 64;  // characters; of a language that writes spaces

constexpr char32_t kSpace = U'\u2581';  // as pieces have it
constexpr size_t kCodePoints = 0x110000;
constexpr std::string_view kReserved = "\u2585";

// A line's beginning that is short enough: up to a space, and inside a word only where that is too
// long by itself.
std::string_view first_part(std::string_view line) {
  if (line.size() <= kLongestLine) return line;
  const size_t space = line.rfind(' ', kLongestLine);
  if (space != std::string_view::npos && space > 0) return line.substr(0, space);
  size_t end = kLongestLine;
  while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return line.substr(0, end);
}

// As the vocabulary will read it, and without the library's own sign for what is unknown: it passes
// over lines that have it.
std::string as_read(std::string_view line) {
  std::string text = with_plain_spaces(line);
  replace_all(text, kReserved, " ");
  return text;
}

// The lines, or those that are taken, long ones in parts. BPE looks at words alone, so it makes no
// difference between which of them a line is cut.
class Lines : public sp::SentenceIterator {
 public:
  // taken: of each line, through all texts; empty: all.
  Lines(const Texts& texts, std::vector<bool> taken) : texts_(texts), taken_(std::move(taken)) {
    find_part();
  }
  bool done() const override { return text_ == texts_.size(); }
  void Next() override {
    begin_ += length_;
    if (begin_ == line().size()) next_line();
    find_part();
  }
  const std::string& value() const override { return part_; }
  sp::util::Status status() const override { return {}; }

 private:
  const std::string& line() const { return (*texts_[text_])[line_]; }
  void next_line() {
    begin_ = 0;
    ++line_;
    ++number_;
  }
  void find_part() {
    for (; text_ < texts_.size(); ++text_, line_ = 0) {
      while (line_ < texts_[text_]->size() && !taken_.empty() && !taken_[number_]) next_line();
      if (line_ < texts_[text_]->size()) break;
    }
    if (done()) return;
    const std::string_view part = first_part(std::string_view(line()).substr(begin_));
    length_ = part.size();
    part_ = as_read(part);
  }

  const Texts& texts_;
  std::vector<bool> taken_;
  size_t text_ = 0, line_ = 0, number_ = 0, begin_ = 0, length_ = 0;
  std::string part_;
};

// An evenly spread share of the lines, and each line with a character that these lack.
std::vector<bool> sample_lines(const Texts& texts, double share) {
  std::vector<bool> taken, known(kCodePoints);
  const auto take = [&](const std::string& line) {
    for (const char32_t c : to_utf32(line)) known[c] = true;
  };
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      const auto number = static_cast<double>(taken.size());
      taken.push_back(std::floor((number + 1) * share) > std::floor(number * share));
      if (taken.back()) take(line);
    }
  }
  size_t number = 0;
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      if (!std::ranges::all_of(to_utf32(line), [&](char32_t c) { return known[c]; })) {
        taken[number] = true;
        take(line);
      }
      ++number;
    }
  }
  return taken;
}

bool has_words(const Texts& texts) {
  return std::ranges::any_of(texts, [](const auto* text) {
    return std::ranges::any_of(*text, [](const std::string& line) { return !is_blank(line); });
  });
}

// visit(word) for what stands between spaces.
template <typename Visit>
void for_each_word(const Texts& texts, const Visit& visit) {
  for (const auto* text : texts) {
    for (const std::string& line : *text) {
      const std::string read = as_read(line);
      for (const std::string_view word : split_on_ascii_space(read)) visit(word);
    }
  }
}

// How often each character occurs, a space in front of each word too.
std::map<char32_t, int64_t> count_characters(const Texts& texts) {
  std::map<char32_t, int64_t> counts;
  for_each_word(texts, [&](std::string_view word) {
    ++counts[kSpace];
    for (const char32_t c : to_utf32(word)) ++counts[c];
  });
  counts.erase(U'\0');  // has no piece
  return counts;
}

// The characters that get a piece, as the library chooses them: the most frequent ones until they
// make up the share.
size_t count_covered(const std::map<char32_t, int64_t>& counts, double share) {
  std::vector<int64_t> times;
  for (const auto& [character, count] : counts) times.push_back(count);
  std::ranges::sort(times, std::greater());
  const auto all = static_cast<double>(std::accumulate(times.begin(), times.end(), int64_t{0}));
  size_t covered = 0;
  for (int64_t sum = 0; covered < times.size() && static_cast<double>(sum) / all < share; ++covered)
    sum += times[covered];
  return covered;
}

// The library's message without the assertion in front of it.
std::string without_assertion(const std::string& message) {
  const size_t end = message.rfind("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

// The library's own words are those of an assertion.
[[noreturn]] void fail_training(const Texts& texts, const BpeOptions& options, const std::string& why) {
  const auto counts = count_characters(texts);
  const double share = options.character_coverage;
  const size_t covered = count_covered(counts, share), needed = covered + kSpecials;
  if (static_cast<size_t>(options.vocab_size) < needed) {
    const std::string some = share == 1 ? "" : fmt::format(" that make up {:g} of it", share);
    fail(ErrorKind::usage,
         "subwords: {} pieces cannot hold the text's {} characters{}, the space and {} special tokens; give "
         "--vocab-size {} or more{}",
         options.vocab_size, covered - 1, some, kSpecials, needed,
         share == 1 ? "" : ", or a lower --character-coverage");
  }
  fail(ErrorKind::usage, "subwords: cannot learn {} pieces: {}; try another --vocab-size", options.vocab_size,
       without_assertion(why));
}

std::string learn(const Texts& texts, const BpeOptions& options) {
  const double share = bpe_sample(texts).share;
  Lines lines(texts, share < 1 ? sample_lines(texts, share) : std::vector<bool>());
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
  if (!status.ok()) fail_training(texts, options, status.message());
  return bytes;
}

}  // namespace

BpeSample bpe_sample(const Texts& texts) {
  BpeSample sample;
  for_each_word(texts, [&](std::string_view word) {
    // Scripts without spaces have three bytes a character or more.
    const auto is_long = [](char byte) { return static_cast<unsigned char>(byte) >= 0xE0; };
    if (word.size() <= kLongestWord && std::ranges::none_of(word, is_long)) return;
    const std::u32string characters = to_utf32(word);
    if (characters.size() > kLongestWord || std::ranges::any_of(characters, is_written_without_spaces))
      sample.unspaced += std::ssize(characters);
  });
  if (sample.unspaced > kMostUnspaced)
    sample.share = static_cast<double>(kMostUnspaced) / static_cast<double>(sample.unspaced);
  return sample;
}

std::string train_bpe(const Texts& texts, const BpeOptions& options, const std::function<void()>& waiting) {
  if (!has_words(texts))
    fail(ErrorKind::data, "subwords: there is no text to learn from; give some with words in it");
  return run_in_child([&] { return learn(texts, options); }, waiting);
}

int64_t lines_cut_by_bpe(const Texts& texts) {
  int64_t count = 0;
  for (const auto* text : texts) {
    count += std::ranges::count_if(*text, [](const std::string& line) { return line.size() > kLongestLine; });
  }
  return count;
}

}  // namespace xf::data
