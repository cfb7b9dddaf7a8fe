#include "data/corpus_preparation.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file_writer.h"
#include "core/parallel.h"
#include "core/workers.h"

namespace xf::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kLinesAtATime = 8192;

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

// Consecutive lines of a text: as they were read, then prepared and encoded.
struct Block {
  std::vector<std::string> source, target;
  std::vector<EncodedLines> pieces;

  void encode_piece(const CorpusEncoder& encoder, const TextToPrepare& text, int64_t piece) {
    std::string none;
    const auto begin = static_cast<size_t>(piece * kLinesPerPiece);
    for (size_t i = begin; i < std::min<size_t>(begin + kLinesPerPiece, target.size()); ++i)
      prepare(text.kind, text.pipeline, source.empty() ? none : source[i], target[i]);
    pieces[static_cast<size_t>(piece)] = encoder.encode(source, target, piece);
  }
};

int64_t bytes_of(const std::vector<TextFiles>& texts) {
  int64_t bytes = 0;
  for (const TextFiles& files : texts) {
    for (const std::string& path : files.paths) bytes += static_cast<int64_t>(fs::file_size(path));
  }
  return bytes;
}

// All files' lines, a block at a time.
class BlockReader {
 public:
  explicit BlockReader(const TextToPrepare& text) : text_(text), all_bytes_(bytes_of(text.texts)) {}

  // Empty behind the last line.
  void read(Block& block) {
    block.source.clear();
    block.target.clear();
    std::string source, target;
    while (block.target.size() < kLinesAtATime && next(source, target)) {
      if (text_.kind != TextKind::target_only) block.source.push_back(source);
      block.target.push_back(target);
    }
    block.pieces.resize(number_of_pieces(std::ssize(block.target)));
    lines_ += std::ssize(block.target);
  }

  // those that are read to their ends
  const std::vector<TextPart>& parts() const { return parts_; }
  int64_t lines() const { return lines_; }
  double share() const {  // of the bytes that are read
    const int64_t bytes = bytes_of_parts_ + (now_ ? now_->bytes_read() : 0);
    return std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all_bytes_));
  }

 private:
  bool next(std::string& source, std::string& target) {
    for (; parts_.size() < text_.texts.size(); end_part()) {
      if (!now_) now_.emplace(text_.kind, text_.texts[parts_.size()]);
      if (now_->next(source, target)) return true;
    }
    return false;
  }

  void end_part() {
    const TextFiles& files = text_.texts[parts_.size()];
    bytes_of_parts_ += bytes_of({files});
    parts_.push_back({files, now_->line()});
    now_.reset();
  }

  const TextToPrepare& text_;
  int64_t all_bytes_, bytes_of_parts_ = 0, lines_ = 0;
  std::optional<PairedLines> now_;
  std::vector<TextPart> parts_;
};

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
  remove_abandoned(path);
  PreparedPairsWriter writer(path, std::max(text.source_tokenizer.size(), text.target_tokenizer.size()));
  CorpusEncoder encoder(text.source_tokenizer, text.target_tokenizer, text.filter,
                        [&](std::span<const int32_t> source, std::span<const int32_t> target, int64_t line) {
                          writer.push_back(source, target, line);
                        });
  Crc64 sources, targets;
  const auto write = [&](Block& block) {
    add_lines(sources, block.source);
    add_lines(targets, block.target);
    for (EncodedLines& lines : block.pieces) encoder.keep(lines);
  };
  // While one block is encoded in pieces, one thread writes that before it and reads that behind
  // it.
  BlockReader reader(text);
  Block before, block, behind;
  for (reader.read(block); !block.target.empty(); std::swap(before, block), std::swap(block, behind)) {
    parallel_for_dynamic(1 + std::ssize(block.pieces), thread_count(), [&](int, int64_t i) {
      if (i > 0) return block.encode_piece(encoder, text, i - 1);
      write(before);
      reader.read(behind);
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    progress({reader.lines() - std::ssize(behind.target), reader.share(), seconds.count()});
  }
  write(before);
  json lines_of_parts = json::array();
  for (const TextPart& part : reader.parts()) lines_of_parts.push_back(part.lines);
  writer.commit({{"key", key},
                 {"hash", hash_of(sources, targets)},
                 {"lines", lines_of_parts},
                 {"statistics", to_json(encoder.statistics(paths_of(reader.parts())))}});
}

namespace {

std::string user_name(uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  return fmt::format("user {}", entry ? entry->pw_name : std::to_string(user));
}

[[noreturn]] void fail_not_ours(const std::string& path, const std::string& why) {
  throw NotOurs(ErrorKind::data, fmt::format("{}: {}", path, why));
}

// None where nothing lies there.
std::optional<StoredFile> open_ours(const std::string& path, Preparer trusted) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISREG(status.st_mode))
    fail_not_ours(path, S_ISLNK(status.st_mode) ? "is a link" : "is not a regular file");
  std::optional<StoredFile> file;
  try {
    file.emplace(path, StoredFile::Links::refused);
  } catch (const Error& error) {
    throw NotOurs(error.kind(), error.what());
  }
  if (trusted == Preparer::this_user && file->owner() != ::geteuid())
    fail_not_ours(path, "is a file of " + user_name(file->owner()));
  return file;
}

std::optional<PreparedCorpus> prepared_corpus(const TextToPrepare& text, StoredFile file) try {
  const auto pairs = std::make_shared<const PreparedPairs>(std::move(file));
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

}  // namespace

std::optional<PreparedCorpus> open_prepared(const TextToPrepare& text, const std::string& path,
                                            Preparer trusted) {
  std::optional<StoredFile> file = open_ours(path, trusted);
  if (!file) return {};
  if (trusted == Preparer::this_user && file->keep_from_others()) {
    ::unlink(path.c_str());  // it may be another's work
    return {};
  }
  const uid_t owner = file->owner();
  std::optional<PreparedCorpus> prepared = prepared_corpus(text, std::move(*file));
  if (!prepared && owner != ::geteuid())
    fail_not_ours(path, "is a file of " + user_name(owner) + ", damaged or of another text");
  return prepared;
}

}  // namespace xf::data
