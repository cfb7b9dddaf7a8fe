#include "data/parallel_corpus.h"

#include <algorithm>

#include "core/error.h"
#include "data/text_file.h"
#include "data/unicode.h"

namespace xf::data {

std::string TextPipeline::prepare(std::string_view text) const {
  if (split_on_space(text).empty()) return "";
  std::string result = normalize_nfc(text);
  return lowercase ? normalize_nfc(lower_case(result)) : result;
}

namespace {

ParallelText prepared(ParallelText text, const TextPipeline& pipeline) {
  for (auto* side : {&text.source, &text.target}) {
    for (std::string& line : *side) line = pipeline.prepare(line);
  }
  return text;
}

}  // namespace

ParallelText read_parallel_text(const std::string& source_path, const std::string& target_path,
                                const TextPipeline& pipeline) {
  ParallelText text{source_path, target_path, read_lines(source_path), read_lines(target_path)};
  if (text.source.size() != text.target.size()) {
    fail(ErrorKind::data,
         "{} and {} have {} and {} lines; line i of one must translate line i of the other, `xformer-vocab "
         "check` "
         "shows more",
         source_path, target_path, text.source.size(), text.target.size());
  }
  return prepared(std::move(text), pipeline);
}

ParallelText read_parallel_columns(const std::string& path, const TextPipeline& pipeline) {
  Columns columns = read_columns(path);
  return prepared({path, path, std::move(columns.left), std::move(columns.right)}, pipeline);
}

ParallelText read_target_text(const std::string& path, const TextPipeline& pipeline) {
  return prepared({"", path, {}, read_lines(path)}, pipeline);
}

std::string ParallelText::paths() const {
  return source_path.empty() || source_path == target_path ? target_path : source_path + ", " + target_path;
}

void Sequences::push_back(std::span<const int32_t> ids) {
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  offsets_.push_back(static_cast<int64_t>(ids_.size()));
}

std::span<const int32_t> Sequences::operator[](int64_t i) const {
  return std::span(ids_).subspan(static_cast<size_t>(offsets_[i]), static_cast<size_t>(length(i)));
}

namespace {

void count(CorpusStatistics::Side& side, std::span<const int32_t> ids, int32_t unk_id) {
  const auto length = static_cast<int64_t>(ids.size());
  side.tokens += length;
  side.unknown += std::count(ids.begin(), ids.end(), unk_id);
  side.longest = std::max(side.longest, length);
}

// Whether the pair stays; counts why not, and crops if that is asked for.
bool keep(std::vector<int32_t>& source, std::vector<int32_t>& target, bool has_source,
          const LengthFilter& filter, CorpusStatistics& statistics) {
  ++statistics.pairs;
  if ((has_source && source.empty()) || target.empty()) {
    ++statistics.dropped_empty;
    return false;
  }
  const auto limit = static_cast<size_t>(filter.max_length);
  if (limit == 0 || std::max(source.size(), target.size()) <= limit) return true;
  if (!filter.crop) {
    ++statistics.dropped_long;
    return false;
  }
  ++statistics.cropped;
  source.resize(std::min(source.size(), limit));
  target.resize(std::min(target.size(), limit));
  return true;
}

}  // namespace

ParallelCorpus encode_corpus(const ParallelText& text, const Tokenizer& source_tokenizer,
                             const Tokenizer& target_tokenizer, const LengthFilter& filter) {
  const bool has_source = !text.source.empty();
  XF_CHECK(!has_source || text.source.size() == text.target.size(),
           "corpus: {} source lines, {} target lines", text.source.size(), text.target.size());
  ParallelCorpus corpus;
  corpus.source_path = text.source_path;
  corpus.target_path = text.target_path;
  corpus.targets_end = target_tokenizer.eos_id() >= 0;
  CorpusStatistics& statistics = corpus.statistics;
  for (size_t i = 0; i < text.target.size(); ++i) {
    std::vector<int32_t> source;
    if (has_source) source = source_tokenizer.encode(text.source[i]);
    std::vector<int32_t> target = target_tokenizer.encode(text.target[i]);
    if (!keep(source, target, has_source, filter, statistics)) continue;
    count(statistics.source, source, source_tokenizer.unk_id());
    count(statistics.target, target, target_tokenizer.unk_id());
    if (has_source) corpus.source.push_back(source);
    corpus.target.push_back(target);
    corpus.lines.push_back(static_cast<int64_t>(i) + 1);
  }
  statistics.kept = corpus.size();
  if (statistics.kept == 0) {
    fail(ErrorKind::data, "{}: no {} is left: {} empty, {} over --max-length {}", text.paths(),
         has_source ? "pair" : "line", statistics.dropped_empty, statistics.dropped_long, filter.max_length);
  }
  return corpus;
}

}  // namespace xf::data
