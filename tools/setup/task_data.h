// What a model of each type reads: a translation model two parallel texts, a language model one, a
// classifier texts and their classes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/batches.h"
#include "data/parallel_corpus.h"
#include "data/score/fitting_bleu_tokenizer.h"
#include "data/vocabularies.h"
#include "nn/transformer_config.h"
#include "tools/config/training_options.h"

namespace xf::tools {

nn::ModelType model_type(const ModelOptions& options);

// What it reads, as --train-sets has it: "SRC TRG".
const char* files_shown(nn::ModelType type);

// Error usage for options of training that are another type's: numbers of files, depths, tying,
// metrics.
void check_model_type(const TrainingOptions& options);

// Of a text's files: "a/val.en-de" of "a/val.en" and "a/val.de".
std::string text_name(const std::vector<std::string>& paths);

data::TextKind text_kind(nn::ModelType type);

// The texts that the paths name, one after the other: each of as many files as the type reads, or
// of one with columns by --tsv.
std::vector<data::TextFiles> texts_of(nn::ModelType type, const std::vector<std::string>& paths, bool tsv);
std::vector<data::TextFiles> texts_of(const TrainingOptions& options, const std::vector<std::string>& paths);

// Text to measure a model on: nothing is dropped.
struct ValidationSet {
  data::ParallelText text;          // prepared lines
  data::ParallelCorpus corpus;      // encoded
  data::FittingTokenizer fit = {};  // of BLEU, for its references
};
// Error data, naming the line, for one over `longest` tokens: the position table ends somewhere,
// and the loss is of whole sentences.
std::unique_ptr<ValidationSet> read_validation_set(nn::ModelType type, const data::TextFiles& files,
                                                   const data::TextPipeline& pipeline,
                                                   const data::Vocabularies& vocabularies, int64_t longest);

data::BatchSpecials batch_specials(nn::ModelType type, const data::Vocabularies& vocabularies);
// Of --mini-batch-words: target tokens, or a classifier's source tokens.
data::BatchCapacity batch_capacity(nn::ModelType type, int64_t words);
// What --mini-batch or else --mini-batch-words lets a batch of this corpus hold.
data::BatchCapacity batch_capacity(const TrainingOptions& options, const data::ParallelCorpus& corpus);

// For the log: "source: 12 tokens, longest 5, 0.00% unknown · target: ...", "vocabulary: ...", and
// what the trained model is used with.
std::string tokens_line(nn::ModelType type, const data::CorpusStatistics& statistics);
std::string vocabulary_line(nn::ModelType type, const data::Vocabularies& vocabularies);
std::string use_line(nn::ModelType type, const std::string& run);

// The warning of a program that read such lines (data::is_mostly_unknown()).
std::string unknown_lines_warning(int64_t lines);
// Translations are scored with these words behind `xformer-score bleu REFERENCE -i FILE`: " -lc
// -tok zh".
std::string scoring_words(bool lowercase, std::string_view tokenizer);
// "score with: ...", for the log.
std::string score_line(bool lowercase, std::string_view tokenizer);

}  // namespace xf::tools
