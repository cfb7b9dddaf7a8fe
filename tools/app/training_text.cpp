#include "tools/app/training_text.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/guarded_open.h"
#include "data/corpus_preparation.h"
#include "data/line_sample.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/config/training_options.h"
#include "tools/console/progress.h"
#include "tools/setup/task_data.h"
#include "tools/setup/text_options.h"

namespace xf::tools {
namespace {

namespace fs = std::filesystem;

bool is_packed(const std::string& path) { return path.ends_with(".gz") || path.ends_with(".zst"); }

// Of plain text; -1 for a pipe, which can be read once only.
int64_t size_of_text(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return -1;
  const auto bytes = static_cast<int64_t>(fs::file_size(path, error));
  return is_packed(path) ? 4 * bytes : bytes;
}

// The file of a text in the run folder, or among others in a cache.
std::string place_of(const TrainingOptions& options, const std::string& folder,
                     const data::TextToPrepare& text) {
  if (options.data.cache.empty()) return folder + "/train.corpus";
  Crc64 crc;
  crc.add(data::key_of(text));
  return folder + "/" + crc.hexadecimal() + ".corpus";
}

// Where that place is taken by something that is not this user's.
std::string place_of_user(const std::string& place) {
  return fs::path(place).replace_extension(fmt::format(".{}.corpus", ::geteuid())).string();
}

std::optional<data::PreparedCorpus> open_own(const data::TextToPrepare& text, const std::string& path,
                                             data::Preparer trusted) {
  try {
    return data::open_prepared(text, path, trusted);
  } catch (const data::NotOurs& error) {
    fail(ErrorKind::data, "{}; remove it, or give another folder with --cache", error.what());
  }
}

// Exists for the life of this object, and longer once something lies in it.
class Folder {
 public:
  explicit Folder(const std::string& path) : path_(path) {
    refuse_planted(path);
    std::error_code error;
    made_ = fs::create_directories(path, error);
    if (error)
      fail(ErrorKind::resources, "{}: cannot make the folder: {}; choose one you may write to", path,
           error.message());
  }
  ~Folder() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  std::string path_;
  bool made_ = false;
};

std::string rate_of(const data::PreparationProgress& p) {
  return fmt::format("{} lines/s", short_count(static_cast<double>(p.lines) / std::max(p.seconds, 1e-3)));
}

std::string megabytes(int64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

std::optional<std::string> preparation_folder(const TrainingOptions& options) {
  const bool asked = !options.data.cache.empty();
  const bool other_pieces = options.regularisation.bpe_dropout > 0,
             in_memory = other_pieces || options.batches.bidirectional > 0;
  if (asked && in_memory)
    fail(ErrorKind::usage, "cache: with {} each epoch reads another text, so none is prepared; choose one",
         other_pieces ? "bpe-dropout" : "bidirectional");
  int64_t bytes = 0;
  bool pipes = false;
  for (const std::string& path : options.data.train_sets) {
    const int64_t size = size_of_text(path);
    if (asked && size < 0 && fs::exists(path))
      fail(ErrorKind::usage, "cache: {} is not a regular file; write the text to one, or leave --cache out",
           path);
    pipes = pipes || size < 0;
    bytes += size;
  }
  if (asked) return options.data.cache;
  if (bytes <= kLargeText || pipes || in_memory) return {};
  return options.saving.model;
}

TrainingText::TrainingText(const TrainingOptions& options, Announce announce)
    : options_(options),
      announce_(std::move(announce)),
      kind_(text_kind(model_type(options.model))),
      texts_(texts_of(options, options.data.train_sets)),
      pipeline_(text_pipeline(options.text)),
      folder_(preparation_folder(options)) {
  if (folder_) return;
  announce_("reading the text ...");
  text_ = data::read_text(kind_, texts_, pipeline_);
}

void TrainingText::draw_sample() {
  sample_ = data::ParallelText{};
  for (const data::TextFiles& files : texts_) sample_->parts.push_back({files, 0});
  const bool learns = options_.data.vocabs.empty() || kind_ == data::TextKind::labelled;
  if (folder_ && !learns) return;
  data::LineSample lines(options_.data.spm_input_sentences, static_cast<uint64_t>(options_.numerics.seed));
  std::vector<std::string> classes;  // all of them; sorted
  const auto add = [&](const std::string& source, const std::string& target) {
    lines.add(source, target);
    if (kind_ != data::TextKind::labelled) return;
    const auto place = std::ranges::lower_bound(classes, target);
    if (place == classes.end() || *place != target) classes.insert(place, target);
  };
  if (folder_) {
    announce_("reading the text ...");
    std::string source, target;
    for (const data::TextFiles& files : texts_) {
      data::PairedLines pairs(kind_, files);
      while (pairs.next(source, target)) add(source, target);
    }
  } else {
    for (size_t i = 0; i < text_.target.size(); ++i)
      add(text_.source.empty() ? "" : text_.source[i], text_.target[i]);
  }
  if (lines.seen() > options_.data.spm_input_sentences) sampled_ = options_.data.spm_input_sentences;
  for (data::LineSample::Pair& pair : lines.take()) {
    if (folder_) data::prepare(kind_, pipeline_, pair.source, pair.target);
    if (kind_ != data::TextKind::target_only) sample_->source.push_back(std::move(pair.source));
    if (kind_ != data::TextKind::labelled) sample_->target.push_back(std::move(pair.target));
  }
  if (kind_ == data::TextKind::labelled) sample_->target = std::move(classes);
}

const data::ParallelText& TrainingText::sample() {
  const bool fits = std::ssize(text_.target) <= options_.data.spm_input_sentences;
  if (!folder_ && fits) return text_;
  if (!sample_) draw_sample();
  return *sample_;
}

data::LengthFilter TrainingText::filter() const {
  return {.max_length = options_.text.max_length, .crop = options_.data.max_length_crop};
}

TrainingText::Encoded TrainingText::encode(const data::Vocabularies& vocabularies) {
  sample_.reset();
  if (folder_) return open_or_prepare(vocabularies);
  announce_("encoding the text ...");
  Encoded encoded{.corpus = data::encode_corpus(text_, *vocabularies.source, *vocabularies.target, filter()),
                  .text = {},
                  .hash = data::hash_of(text_),
                  .note = ""};
  if (options_.regularisation.bpe_dropout > 0) encoded.text = std::move(text_);
  text_ = {};
  return encoded;
}

// How it went, for the log.
std::string TrainingText::prepare(const data::TextToPrepare& text, const std::string& path) {
  const Folder folder(*folder_);
  data::PreparationProgress last;
  data::prepare_corpus(text, path, [&](const data::PreparationProgress& p) {
    last = p;
    announce_(fmt::format("preparing the text: {} lines, {}, {} left", grouped(p.lines), rate_of(p),
                          rough_time(p.seconds * (1 - p.share) / p.share)));
  });
  return fmt::format("prepared in {}, {}", rough_time(last.seconds), rate_of(last));
}

TrainingText::Encoded TrainingText::open_or_prepare(const data::Vocabularies& vocabularies) {
  const data::TextToPrepare text{.kind = kind_,
                                 .texts = texts_,
                                 .pipeline = pipeline_,
                                 .source_tokenizer = *vocabularies.source,
                                 .target_tokenizer = *vocabularies.target,
                                 .filter = filter(),
                                 .vocabularies = vocabularies.checksum()};
  const auto trusted = options_.data.cache_of_others ? data::Preparer::anybody : data::Preparer::this_user;
  std::string path = place_of(options_, *folder_, text), how = "opened";
  std::optional<data::PreparedCorpus> prepared;
  try {
    prepared = data::open_prepared(text, path, trusted);
  } catch (const data::NotOurs& error) {
    path = place_of_user(path);
    announce_.tell(
        fmt::format("warning: {}: not used, but {}; --cache-of-others uses what other users have prepared",
                    error.what(), path));
    prepared = open_own(text, path, trusted);
  }
  if (!prepared) {
    how = prepare(text, path);
    prepared = data::open_prepared(text, path, trusted);
    if (!prepared)
      fail(ErrorKind::usage, "train-sets: changed while they were read; run the same command again");
  }
  const int64_t bytes = prepared->corpus.prepared->bytes();
  return {.corpus = std::move(prepared->corpus),
          .text = {},
          .hash = prepared->hash,
          .note = fmt::format("text: {}: {}, {}", how, path, megabytes(bytes))};
}

}  // namespace xf::tools
