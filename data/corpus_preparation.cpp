#include "data/corpus_preparation.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file_writer.h"
#include "core/parallel.h"

namespace xf::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kLinesAtATime = 32768;
constexpr int64_t kGrain = 256;

json key_json(const TextToPrepare& text) {
  json texts = json::array();
  for (const TextFiles& files : text.texts) {
    json paths = json::array();
    for (const std::string& path : files.paths) {
      std::error_code missing;
      const fs::path file = fs::canonical(path, missing);
      if (missing) fail(ErrorKind::data, "{}: cannot open: {}; check the path", path, missing.message());
      paths.push_back({{"path", file.string()},
                       {"bytes", fs::file_size(file)},
                       {"changed", fs::last_write_time(file).time_since_epoch().count()}});
    }
    texts.push_back({{"files", paths}, {"tsv", files.tsv}});
  }
  return {{"texts", texts},
          {"kind", static_cast<int>(text.kind)},
          {"lowercase", text.pipeline.lowercase},
          {"vocabularies", text.vocabularies},
          {"max_length", text.filter.max_length},
          {"crop", text.filter.crop}};
}

json to_json(const CorpusStatistics& s) {
  const auto side = [](const CorpusStatistics::Side& counts) {
    return json{{"tokens", counts.tokens}, {"unknown", counts.unknown}, {"longest", counts.longest}};
  };
  return {{"pairs", s.pairs},
          {"kept", s.kept},
          {"dropped_empty", s.dropped_empty},
          {"dropped_long", s.dropped_long},
          {"cropped", s.cropped},
          {"source", side(s.source)},
          {"target", side(s.target)}};
}

CorpusStatistics statistics_from(const json& s) {
  const auto side = [](const json& counts) {
    return CorpusStatistics::Side{counts.at("tokens"), counts.at("unknown"), counts.at("longest")};
  };
  return {.pairs = s.at("pairs"),
          .kept = s.at("kept"),
          .dropped_empty = s.at("dropped_empty"),
          .dropped_long = s.at("dropped_long"),
          .cropped = s.at("cropped"),
          .source = side(s.at("source")),
          .target = side(s.at("target"))};
}

void add_lines(Crc64& crc, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    crc.add(line);
    crc.add("\n");
  }
}

std::string hash_of(Crc64 sources, const Crc64& targets) {
  sources.append(targets);
  return sources.hexadecimal();
}

// The next lines of a text, prepared; none at its end.
struct Lines {
  std::vector<std::string> source, target;

  bool read(PairedLines& from, TextKind kind, const TextPipeline& pipeline) {
    source.clear();
    target.clear();
    std::string source_line, target_line;
    while (target.size() < kLinesAtATime && from.next(source_line, target_line)) {
      if (kind != TextKind::target_only) source.push_back(source_line);
      target.push_back(target_line);
    }
    std::string none;
    parallel_for(std::ssize(target), kGrain, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
        prepare(kind, pipeline, kind == TextKind::target_only ? none : source[i], target[i]);
    });
    return !target.empty();
  }
};

int64_t bytes_of(const std::vector<TextFiles>& texts) {
  int64_t bytes = 0;
  for (const TextFiles& files : texts) {
    for (const std::string& path : files.paths) bytes += static_cast<int64_t>(fs::file_size(path));
  }
  return bytes;
}

}  // namespace

std::string key_of(const TextToPrepare& text) { return key_json(text).dump(); }

std::string hash_of(const ParallelText& text) {
  Crc64 crc;
  add_lines(crc, text.source);
  add_lines(crc, text.target);
  return crc.hexadecimal();
}

void prepare_corpus(const TextToPrepare& text, const std::string& path,
                    const std::function<void(const PreparationProgress&)>& progress) {
  const json key = key_json(text);  // before the text is read: a change from here on is seen
  const auto begin = std::chrono::steady_clock::now();
  const auto all_bytes = static_cast<double>(bytes_of(text.texts));
  remove_abandoned(path);
  PreparedPairsWriter writer(path, std::max(text.source_tokenizer.size(), text.target_tokenizer.size()));
  CorpusEncoder encoder(text.source_tokenizer, text.target_tokenizer, text.filter,
                        [&](std::span<const int32_t> source, std::span<const int32_t> target, int64_t line) {
                          writer.push_back(source, target, line);
                        });
  Crc64 sources, targets;
  std::vector<TextPart> parts;
  Lines block;
  int64_t lines_before = 0, bytes_before = 0;
  for (const TextFiles& files : text.texts) {
    PairedLines lines(text.kind, files);
    while (block.read(lines, text.kind, text.pipeline)) {
      add_lines(sources, block.source);
      add_lines(targets, block.target);
      encoder.encode(block.source, block.target);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      progress({lines_before + lines.line(),
                std::min(1.0, static_cast<double>(bytes_before + lines.bytes_read()) / all_bytes),
                seconds.count()});
    }
    parts.push_back({files, lines.line()});
    lines_before += lines.line();
    bytes_before += bytes_of({files});
  }
  json lines_of_parts = json::array();
  for (const TextPart& part : parts) lines_of_parts.push_back(part.lines);
  writer.commit({{"key", key},
                 {"hash", hash_of(sources, targets)},
                 {"lines", lines_of_parts},
                 {"statistics", to_json(encoder.statistics(paths_of(parts)))}});
}

std::optional<PreparedCorpus> open_prepared(const TextToPrepare& text, const std::string& path) try {
  if (!fs::exists(path)) return {};
  const auto pairs = std::make_shared<const PreparedPairs>(path);
  const json& description = pairs->description();
  if (description.at("key") != key_json(text)) return {};
  PreparedCorpus prepared;
  prepared.hash = description.at("hash");
  ParallelCorpus& corpus = prepared.corpus;
  const std::vector<int64_t> lines = description.at("lines");
  for (size_t part = 0; part < text.texts.size(); ++part)
    corpus.parts.push_back({text.texts[part], lines.at(part)});
  if (text.kind != TextKind::target_only) corpus.source = Sequences(pairs, Side::source);
  corpus.target = Sequences(pairs, Side::target);
  corpus.targets_end = text.target_tokenizer.eos_id() >= 0;
  corpus.prepared = pairs;
  corpus.statistics = statistics_from(description.at("statistics"));
  return prepared;
} catch (const json::exception&) {
  return {};
} catch (const Error& error) {
  if (error.kind() != ErrorKind::data) throw;
  return {};
}

}  // namespace xf::data
