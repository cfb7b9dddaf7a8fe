#include "tools/setup/task_data.h"
#include "data/parallel_corpus.h"
#include "data/vocabularies.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/labels.h"
#include "data/sentencepiece_tokenizer.h"
#include "tools/console/progress.h"
#include "tools/console/shell_word.h"

namespace xf::tools {

using nn::ModelType;

namespace {

struct TypeRules {
  ModelType type;
  const char* name;     // of --type
  size_t files;         // of --train-sets and --valid-sets
  const char* shown;    // these files
  const char* columns;  // of one file with --tsv; null: it is not for this type
  std::vector<std::string> metrics;
};

const TypeRules& rules_of(ModelType type) {
  static const std::vector<TypeRules> rules = {
      {ModelType::translation,
       "translation",
       2,
       "SRC TRG",
       "one file of SOURCE TAB TARGET lines",
       {"bleu", "chrf", "ce-mean-words", "perplexity", "ce-mean-batches", "tutorial-bleu"}},
      {ModelType::language_model,
       "language-model",
       1,
       "FILE",
       nullptr,
       {"perplexity", "word-perplexity", "ce-mean-words"}},
      {ModelType::classification,
       "classification",
       2,
       "TEXT LABELS",
       "one file of TEXT TAB CLASS lines",
       {"accuracy", "macro-f1", "ce-mean-words"}}};
  return *std::ranges::find(rules, type, &TypeRules::type);
}

void check_files(const std::string& what, const data::TextFiles& files, const TypeRules& rules) {
  if (files.tsv && !rules.columns)
    fail(ErrorKind::usage, "tsv: a model of type {} reads one text, without columns", rules.name);
  if (files.paths.size() == (files.tsv ? 1 : rules.files)) return;
  const bool columns = !files.tsv && rules.columns && files.paths.size() == 1;
  fail(ErrorKind::usage, "{} {}, got {} file{}{}", what, files.tsv ? rules.columns : rules.shown,
       files.paths.size(), files.paths.size() == 1 ? "" : "s",
       columns ? "; --tsv reads lines of two texts with a tab between them" : "");
}

// Not asked for: no such text. At most one, but for options of `several`.
void check_files(const TrainingOptions& options, const char* key, const std::vector<std::string>& paths,
                 const TypeRules& rules, bool several) {
  const std::vector<data::TextFiles> texts = texts_of(options, paths);
  if (texts.empty()) return;
  const data::TextFiles all{.paths = paths, .tsv = texts.front().tsv};
  const bool complete = texts.back().paths.size() == texts.front().paths.size();
  check_files(fmt::format("{}: type {} reads", key, rules.name), several && complete ? texts.front() : all,
              rules);
}

void check_depth(const char* key, int64_t depth, bool wanted, const TypeRules& rules) {
  if ((depth > 0) == wanted) return;
  fail(ErrorKind::usage, "{}: type {} has {}; give {}", key, rules.name,
       wanted ? "such layers" : "no such layers", wanted ? "1 or more" : "0");
}

std::string tokens_of(const char* side, const data::CorpusStatistics::Side& counts) {
  return fmt::format("{}: {} tokens, longest {}, {:.2f}% unknown", side, grouped(counts.tokens),
                     counts.longest, 100 * counts.unknown_rate());
}

// Nothing if none was.
std::string cut_lines_note(int64_t lines_cut) {
  if (lines_cut == 0) return "";
  return fmt::format("; learnt from lines of which {} were cut between words, for they were over {} bytes",
                     grouped(lines_cut), grouped(data::kLongestBpeLine));
}

void check_lengths(const ValidationSet& set, int64_t longest) {
  const data::ParallelCorpus& corpus = set.corpus;
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const int64_t source = corpus.has_source() ? corpus.source.length(i) : 0,
                  target = corpus.target.length(i);
    if (std::max(source, target) <= longest) continue;
    const data::TextFiles& files = corpus.parts.front().files;
    fail(ErrorKind::data, "{}:{}: {} tokens; a line to validate on has at most {}: split or remove it",
         source > longest ? files.source() : files.target(), corpus.line(i),
         source > longest ? source : target, longest);
  }
}

// Whether what nobody gave is of another type.
bool is_other_types(const TrainingOptions& options, const TypeRules& rules) {
  const auto by_default = [&](const char* key) { return !options.is_given(key); };
  const bool encodes = options.model.enc_depth > 0, decodes = options.model.dec_depth > 0,
             joins = options.text.joint_vocab || options.model.tied_embeddings_all;
  const auto& metrics = options.validation.valid_metrics;
  const bool measures = std::ranges::all_of(metrics, [&](const std::string& metric) {
    return std::ranges::find(rules.metrics, metric) != rules.metrics.end();
  });
  return (by_default("enc-depth") && encodes == (rules.type == ModelType::language_model)) ||
         (by_default("dec-depth") && decodes == (rules.type == ModelType::classification)) ||
         (by_default("joint-vocab") && by_default("tied-embeddings-all") && joins) ||
         (by_default("valid-metrics") && !measures);
}

// One value stands for both only where there is one text.
template <typename T>
void check_is_two(const char* key, const std::vector<T>& values, const TypeRules& rules) {
  if (values.size() == 1)
    fail(ErrorKind::usage, "{}: type {} has two sides; give two, got {}", key, rules.name, values.front());
}

// --type in place of the task that goes with it leaves defaults that nobody gave, of another type.
void check_type_alone(const TrainingOptions& options, const TypeRules& rules) {
  if (rules.type == ModelType::translation || !options.is_given("type") || options.is_given("task")) return;
  if (is_other_types(options, rules))
    fail(ErrorKind::usage, "type: the task {} is for models of another type; give --task {}", options.task,
         rules.name);
}

}  // namespace

ModelType model_type(const ModelOptions& options) {
  const std::string& name = options.type;
  if (name == "language-model") return ModelType::language_model;
  return name == "classification" ? ModelType::classification : ModelType::translation;
}

const char* files_shown(ModelType type) { return rules_of(type).shown; }

void check_model_type(const TrainingOptions& options) {
  const TypeRules& rules = rules_of(model_type(options.model));
  check_files(options, "train-sets", options.data.train_sets, rules, true);
  check_files(options, "valid-sets", options.data.valid_sets, rules, false);
  check_files(options, "test-sets", options.data.test_sets, rules, true);
  check_type_alone(options, rules);
  if (rules.type == ModelType::translation) check_is_two("languages", options.text.languages, rules);
  if (rules.type != ModelType::language_model) check_is_two("vocab-sizes", options.data.vocab_sizes, rules);
  check_depth("enc-depth", options.model.enc_depth, rules.type != ModelType::language_model, rules);
  check_depth("dec-depth", options.model.dec_depth, rules.type != ModelType::classification, rules);
  for (const std::string& metric : options.validation.valid_metrics) {
    if (std::ranges::find(rules.metrics, metric) != rules.metrics.end()) continue;
    fail(ErrorKind::usage, "valid-metrics: type {} has no {} (one of {})", rules.name, metric,
         fmt::join(rules.metrics, ", "));
  }
  if (rules.type == ModelType::translation) return;
  if (options.model.tied_embeddings_all || options.text.joint_vocab) {
    fail(ErrorKind::usage, "type {} has one embedding: no joint-vocab, no tied-embeddings-all", rules.name);
  }
  if (rules.type == ModelType::classification && options.model.tied_embeddings)
    fail(ErrorKind::usage, "tied-embeddings: type classification has no target embedding");
  if (options.data.vocabs.size() > 1)
    fail(ErrorKind::usage, "vocabs: type {} has one vocabulary", rules.name);
}

std::string text_name(const std::vector<std::string>& paths) {
  if (paths.size() != 2) return fmt::format("{}", fmt::join(paths, " "));
  const std::filesystem::path source(paths[0]), target(paths[1]);
  const bool same =
      std::filesystem::path(source).replace_extension() == std::filesystem::path(target).replace_extension();
  if (!same || target.extension().empty()) return paths[0] + " " + paths[1];
  return paths[0] + "-" + target.extension().string().substr(1);
}

std::vector<data::TextFiles> texts_of(const TrainingOptions& options, const std::vector<std::string>& paths) {
  return texts_of(model_type(options.model), paths, options.data.tsv);
}

std::vector<data::TextFiles> texts_of(ModelType type, const std::vector<std::string>& paths, bool tsv) {
  const size_t files = tsv ? 1 : rules_of(type).files;
  std::vector<data::TextFiles> texts;
  for (const std::string& path : paths) {
    if (texts.empty() || texts.back().paths.size() == files) texts.push_back({.paths = {}, .tsv = tsv});
    texts.back().paths.push_back(path);
  }
  return texts;
}

data::TextKind text_kind(ModelType type) {
  switch (type) {
    case ModelType::translation: return data::TextKind::translation;
    case ModelType::language_model: return data::TextKind::target_only;
    case ModelType::classification: return data::TextKind::labelled;
  }
  return {};
}

std::unique_ptr<ValidationSet> read_validation_set(ModelType type, const data::TextFiles& files,
                                                   const data::TextPipeline& pipeline,
                                                   const data::Vocabularies& vocabularies, int64_t longest) {
  auto set = std::make_unique<ValidationSet>();
  check_files(fmt::format("a model of type {} reads", rules_of(type).name), files, rules_of(type));
  set->text = data::read_text(text_kind(type), {files}, pipeline);
  set->corpus = data::encode_corpus(set->text, *vocabularies.source, *vocabularies.target, {.max_length = 0});
  check_lengths(*set, longest);
  if (type == ModelType::translation) set->fit = data::fitting_bleu_tokenizer(set->text.target);
  return set;
}

data::BatchSpecials batch_specials(ModelType type, const data::Vocabularies& vocabularies) {
  if (type != ModelType::classification)
    return data::batch_specials(*vocabularies.source, *vocabularies.target);
  const data::Tokenizer& texts = *vocabularies.source;
  return {.source_eos = data::batch_specials(texts, texts).source_eos, .target_bos = 0, .target_eos = -1};
}

data::BatchCapacity batch_capacity(ModelType type, int64_t words) {
  data::BatchCapacity capacity = data::capacity_for(words);
  if (type == ModelType::language_model) capacity.source_tokens = 0;
  if (type == ModelType::classification) {
    capacity.source_tokens = capacity.target_tokens;
    capacity.target_tokens = capacity.sentences;
  }
  return capacity;
}

data::BatchCapacity batch_capacity(const TrainingOptions& options, const data::ParallelCorpus& corpus) {
  const int64_t sentences = options.batches.mini_batch;
  if (sentences > 0) return data::capacity_of_sentences(corpus, sentences);
  return batch_capacity(model_type(options.model), options.batches.mini_batch_words);
}

std::string tokens_line(ModelType type, const data::CorpusStatistics& statistics) {
  switch (type) {
    case ModelType::translation:
      return tokens_of("source", statistics.source) + " · " + tokens_of("target", statistics.target);
    case ModelType::language_model: return tokens_of("text", statistics.target);
    case ModelType::classification: return tokens_of("text", statistics.source);
  }
  return {};
}

std::string vocabulary_line(ModelType type, const data::Vocabularies& vocabularies) {
  const std::string source = grouped(vocabularies.source->size()),
                    target = grouped(vocabularies.target->size());
  std::string sizes;
  switch (type) {
    case ModelType::translation:
      sizes = fmt::format("{} source, {} target{}", source, target, vocabularies.joint() ? " (joint)" : "");
      break;
    case ModelType::language_model: sizes = target; break;
    case ModelType::classification: sizes = fmt::format("{}, {} classes", source, target); break;
  }
  std::string note;
  if (vocabularies.sampled > 0)
    note = fmt::format("; learnt from {} lines a side, sampled from the text", grouped(vocabularies.sampled));
  if (vocabularies.share < 1)
    note += fmt::format("; learnt from {:.0f}% of the lines, which have {} characters without spaces",
                        100 * vocabularies.share, grouped(data::kMostUnspaced));
  if (vocabularies.asked > 0)
    note += fmt::format("; --vocab-size asks for {}, and the text has no more", grouped(vocabularies.asked));
  return fmt::format("vocabulary: {}, hash {}{}{}", sizes, vocabularies.hash(), note,
                     cut_lines_note(vocabularies.lines_cut));
}

std::string use_line(ModelType type, const std::string& folder) {
  const std::string run = shell_word(folder);
  switch (type) {
    case ModelType::translation:
      return fmt::format("translate with: xformer-translate -m {} -i FILE -o FILE", run);
    case ModelType::language_model: return fmt::format("generate with: xformer-generate -m {}", run);
    case ModelType::classification: return fmt::format("classify with: xformer-classify -m {} -i FILE", run);
  }
  return {};
}

std::string unknown_lines_warning(int64_t lines) {
  return fmt::format("mostly unknown to the vocabulary: {}; does the model read this language?",
                     counted(lines, "line"));
}

std::string scoring_words(bool lowercase, std::string_view tokenizer) {
  const bool is_usual = tokenizer.empty() || tokenizer == "13a";
  return fmt::format("{}{}", lowercase ? " -lc" : "", is_usual ? "" : fmt::format(" -tok {}", tokenizer));
}

std::string score_line(bool lowercase, std::string_view tokenizer) {
  return "score with: xformer-score bleu REFERENCE -i FILE" + scoring_words(lowercase, tokenizer);
}

}  // namespace xf::tools
