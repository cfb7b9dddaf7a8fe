#include "data/parallel_corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "core/workers.h"
#include "data/composition.h"
#include "data/unicode.h"

namespace xf::data {

std::string TextPipeline::prepare(std::string_view text) const {
  if (is_blank(text)) return "";
  std::string result = normalize_nfc(text);
  return lowercase ? fold_case(result) : result;
}

bool TextPipeline::composes(std::string_view text) const {
  std::vector<std::string> line = {std::string(text)};
  return compose(line).changes(lowercase);
}

std::string paths_of(const std::vector<TextPart>& parts) {
  std::string paths;
  for (const TextPart& part : parts)
    paths += (paths.empty() ? "" : " and ") + fmt::format("{}", fmt::join(part.files.paths, ", "));
  return paths;
}

std::string ParallelText::paths() const { return paths_of(parts); }

void prepare(TextKind kind, const TextPipeline& pipeline, std::string& source, std::string& target) {
  if (kind != TextKind::target_only) source = pipeline.prepare(source);
  if (kind != TextKind::labelled) target = pipeline.prepare(target);
}

ParallelText read_text(TextKind kind, const std::vector<TextFiles>& texts, const TextPipeline& pipeline) {
  ParallelText text;
  std::string source, target;
  for (const TextFiles& files : texts) {
    PairedLines lines(kind, files);
    while (lines.next(source, target)) {
      text.composed += pipeline.composes(target) ? 1 : 0;
      prepare(kind, pipeline, source, target);
      if (kind != TextKind::target_only) text.source.push_back(source);
      text.target.push_back(target);
    }
    text.parts.push_back({files, lines.line()});
  }
  return text;
}

void Sequences::push_back(std::span<const int32_t> ids) {
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  offsets_.push_back(static_cast<int64_t>(ids_.size()));
}

std::vector<int32_t> Sequences::operator[](int64_t i) const {
  if (prepared_) return prepared_->ids(i, side_);
  return {ids_.begin() + offsets_[i], ids_.begin() + offsets_[i + 1]};
}

std::vector<int64_t> ParallelCorpus::ends_of_parts() const {
  std::vector<int64_t> ends;
  int64_t lines_before = 0;
  for (const TextPart& part : parts) {
    lines_before += part.lines;
    int64_t begin = 0, end = size();  // of the pairs among which the first one of a later part is
    while (begin < end) {
      const int64_t middle = (begin + end) / 2;
      (line(middle) <= lines_before ? begin : end) = line(middle) <= lines_before ? middle + 1 : middle;
    }
    ends.push_back(end);
  }
  return ends;
}

namespace {

std::string place_in(const std::vector<TextPart>& parts, int64_t line) {
  for (const TextPart& part : parts) {
    if (line <= part.lines || &part == &parts.back())
      return fmt::format("{}: line {}", paths_of({part}), line);
    line -= part.lines;
  }
  return fmt::format("line {}", line);
}

// Error data for one that is not known, with its line.
void check_classes(const ParallelText& text, const Tokenizer& classes) {
  for (size_t i = 0; i < text.target.size(); ++i) {
    try {
      classes.encode(text.target[i]);
    } catch (const Error& unknown) {
      fail(unknown.kind(), "{}: {}", place_in(text.parts, static_cast<int64_t>(i) + 1), unknown.what());
    }
  }
}

void count(CorpusStatistics::Side& side, std::span<const int32_t> ids, int32_t unk_id) {
  const auto length = static_cast<int64_t>(ids.size());
  side.tokens += length;
  side.unknown += std::count(ids.begin(), ids.end(), unk_id);
  side.longest = std::max(side.longest, length);
}

}  // namespace

std::string ParallelCorpus::place(int64_t i) const { return place_in(parts, line(i)); }

CorpusEncoder::CorpusEncoder(const Tokenizer& source, const Tokenizer& target, const LengthFilter& filter,
                             Keep keep)
    : source_tokenizer_(source), target_tokenizer_(target), filter_(filter), keep_(std::move(keep)) {}

EncodedLines CorpusEncoder::encode(std::span<const std::string> source, std::span<const std::string> target,
                                   int64_t piece) const {
  const auto begin = static_cast<size_t>(piece * kLinesPerPiece);
  const auto encoded = [&](const Tokenizer& tokenizer, std::span<const std::string> lines) {
    std::vector<std::vector<int32_t>> ids;
    for (const std::string& line :
         lines.subspan(begin).first(std::min<size_t>(kLinesPerPiece, lines.size() - begin)))
      ids.push_back(tokenizer.encode(line));
    return ids;
  };
  EncodedLines lines;
  if (!source.empty()) lines.source = encoded(source_tokenizer_, source);
  lines.target = encoded(target_tokenizer_, target);
  return lines;
}

void CorpusEncoder::keep(EncodedLines& lines) {
  has_source_ = !lines.source.empty();
  std::vector<int32_t> none;
  for (size_t i = 0; i < lines.target.size(); ++i)
    keep_pair(has_source_ ? lines.source[i] : none, lines.target[i], has_source_);
}

void CorpusEncoder::keep_pair(std::vector<int32_t>& source, std::vector<int32_t>& target, bool has_source) {
  ++statistics_.pairs;
  if ((has_source && source.empty()) || target.empty()) {
    ++statistics_.dropped_empty;
    return;
  }
  const auto limit = static_cast<size_t>(filter_.max_length);
  if (limit > 0 && std::max(source.size(), target.size()) > limit) {
    if (!filter_.crop) {
      ++statistics_.dropped_long;
      return;
    }
    ++statistics_.cropped;
    source.resize(std::min(source.size(), limit));
    target.resize(std::min(target.size(), limit));
  }
  ++statistics_.kept;
  count(statistics_.source, source, source_tokenizer_.unk_id());
  count(statistics_.target, target, target_tokenizer_.unk_id());
  keep_(source, target, statistics_.pairs);
}

const CorpusStatistics& CorpusEncoder::statistics(const std::string& paths) const {
  if (statistics_.kept == 0) {
    const std::string over =
        filter_.max_length > 0
            ? fmt::format(", {} over --max-length {}", statistics_.dropped_long, filter_.max_length)
            : "; give a text with words in it";
    fail(ErrorKind::data, "{}: no {} is left: {} empty{}", paths, has_source_ ? "pair" : "line",
         statistics_.dropped_empty, over);
  }
  return statistics_;
}

ParallelCorpus encode_corpus(const ParallelText& text, const Tokenizer& source_tokenizer,
                             const Tokenizer& target_tokenizer, const LengthFilter& filter) {
  ParallelCorpus corpus;
  corpus.parts = text.parts;
  corpus.targets_end = target_tokenizer.eos_id() >= 0;
  const bool has_source = !text.source.empty();
  XF_CHECK(!has_source || text.source.size() == text.target.size(),
           "corpus: {} source lines, {} target lines", text.source.size(), text.target.size());
  if (!corpus.targets_end) check_classes(text, target_tokenizer);
  CorpusEncoder encoder(source_tokenizer, target_tokenizer, filter,
                        [&](std::span<const int32_t> source, std::span<const int32_t> target, int64_t line) {
                          if (has_source) corpus.source.push_back(source);
                          corpus.target.push_back(target);
                          corpus.lines.push_back(line);
                        });
  std::vector<EncodedLines> pieces(number_of_pieces(std::ssize(text.target)));
  parallel_for_dynamic(std::ssize(pieces), thread_count(), [&](int, int64_t i) {
    pieces[static_cast<size_t>(i)] = encoder.encode(text.source, text.target, i);
  });
  for (EncodedLines& lines : pieces) encoder.keep(lines);
  corpus.statistics = encoder.statistics(text.paths());
  return corpus;
}

}  // namespace xf::data
