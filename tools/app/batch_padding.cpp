#include "tools/app/batch_padding.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/error.h"
#include "data/bucket_batches.h"
#include "data/parallel_corpus.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "tools/config/program_options.h"
#include "tools/console/progress.h"
#include "tools/formats/text_model.h"
#include "tools/setup/model_config.h"
#include "tools/setup/task_data.h"

namespace xf::tools {

namespace {

// Its lengths are what counts; without a vocabulary the ids mean nothing.
data::Sequences sequences(const std::string& path, const data::Tokenizer* tokenizer, bool lowercase) {
  const data::TextPipeline pipeline{.lowercase = lowercase && !(tokenizer && tokenizer->lowercases())};
  data::Sequences side;
  for (const std::string& raw : data::read_lines(path)) {
    const std::string line = pipeline.prepare(raw);
    side.push_back(tokenizer ? tokenizer->encode(line)
                             : std::vector<int32_t>(data::split_on_space(line).size()));
  }
  return side;
}

data::ParallelCorpus read_corpus(const PaddingOptions& options) {
  const auto& paths = options.input;
  if (paths.size() != 2) fail(ErrorKind::usage, "xformer-vocab batches needs two files that are parallel");
  const auto& names = options.model;
  const TextModel model = names.empty() ? TextModel{} : read_text_model(names);
  const bool lowercase = options.lowercase || model.lowercase;
  data::ParallelCorpus corpus;
  corpus.source = sequences(paths[0], model.vocabularies.source.get(), lowercase);
  corpus.target = sequences(paths[1], model.vocabularies.target.get(), lowercase);
  if (corpus.source.size() != corpus.target.size()) {
    fail(ErrorKind::data, "{} has {} and {} has {}: parallel files have as many", paths[0],
         counted(corpus.source.size(), "line"), paths[1], corpus.target.size());
  }
  return corpus;
}

std::string row(const char* order, const data::ParallelCorpus& corpus, const data::EpochBatches& batches) {
  int64_t smallest = corpus.size(), largest = 0, begin = 0;
  for (const int64_t end : batches.ends) {
    smallest = std::min(smallest, end - begin);
    largest = std::max(largest, end - begin);
    begin = end;
  }
  return fmt::format("{:<22}{:>8}{:>10}{:>9}{:>9.1f} %\n", order, grouped(std::ssize(batches.ends)), smallest,
                     largest, 100 * data::padding_share(corpus, batches));
}

}  // namespace

std::string batch_padding(const PaddingOptions& options) {
  options_of(options).require("input");
  const data::ParallelCorpus corpus = read_corpus(options);
  const bool by_words = options.mini_batch_words.has_value();
  const data::BatchCapacity capacity =
      by_words ? batch_capacity(nn::ModelType::translation, *options.mini_batch_words)
               : data::capacity_of_sentences(corpus, options.mini_batch);
  BatchOptions order;
  order.shuffle = options.shuffle;
  order.maxi_batch = options.maxi_batch;
  order.maxi_batch_sort = options.maxi_batch_sort;
  const data::BatchOrder pools = batch_order(order);
  const auto seed = static_cast<uint64_t>(options.seed);
  const auto cut = [&](const data::BatchOrder& in_order) {
    return data::epoch_batches(corpus, capacity, in_order, seed, 0);
  };
  std::string text = fmt::format("{}, batches of {} {}\n", counted(corpus.size(), "pair"),
                                 by_words ? *options.mini_batch_words : options.mini_batch,
                                 by_words ? "target tokens" : "sentences");
  text += fmt::format("{:<22}{:>8}{:>10}{:>9}{:>11}\n", "", "batches", "smallest", "largest", "padding");
  text += row(pools.shuffle == data::Shuffle::data ? "in random order" : "in the text's order", corpus,
              cut({.shuffle = pools.shuffle}));
  text += row(fmt::format("from pools of {}", pools.pool).c_str(), corpus, cut(pools));
  return text + row("sorted as a whole", corpus, data::sorted_batches(corpus, capacity));
}

}  // namespace xf::tools
