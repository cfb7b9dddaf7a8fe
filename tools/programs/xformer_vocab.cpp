// xformer-vocab: makes vocabularies, uses them on text, and looks at text before it is trained on.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "core/error.h"
#include "core/file.h"
#include "core/number_text.h"
#include "core/stop.h"
#include "data/corpus_check.h"
#include "data/demo/corpus.h"
#include "data/parallel_corpus.h"
#include "data/piece_tokenizer.h"
#include "data/smiles/corpus.h"
#include "data/text_file.h"
#include "data/tokenizer.h"
#include "data/unicode.h"
#include "data/word_tokenizer.h"
#include "tools/app/batch_padding.h"
#include "tools/app/piece_learning.h"
#include "tools/app/ranks.h"
#include "tools/config/command_line.h"
#include "tools/config/program_options.h"
#include "tools/console/line_errors.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/console/terminal.h"
#include "tools/formats/text_model.h"
#include "tools/report/run_log.h"
#include "tools/setup/text_options.h"
#include "tools/tutorials/commands.h"

namespace xf::tools {
namespace {

// Words, and what there was to choose from.
std::unique_ptr<data::Tokenizer> train_words(const VocabularyOptions& options,
                                             const std::vector<const std::vector<std::string>*>& texts) {
  const auto rules = word_rules(options.text, options.input);
  const data::WordCounts counts = data::count_words(texts, *rules);
  if (!options.quiet)
    tell("{}, {}", counted(counts.total, "token"),
         counted(static_cast<int64_t>(counts.times.size()), "type"));
  if (counts.total == 0)
    fail(ErrorKind::data, "{}: no word in it; give text to learn from", fmt::join(options.input, ", "));
  const data::WordVocabularyOptions choice{
      .min_frequency = options.text.min_freq, .specials = {}, .rules = rules};
  auto words = data::build_word_tokenizer(counts, choice);
  if (words->size() == std::ssize(choice.specials.order))
    fail(ErrorKind::usage, "min-freq: every word is rarer than {}; lower it, or give more text",
         choice.min_frequency);
  return words;
}

std::unique_ptr<data::Tokenizer> train_pieces(const VocabularyOptions& options,
                                              const std::vector<const std::vector<std::string>*>& texts) {
  if (!options.quiet && data::lines_cut_by_bpe(texts) > 0) {
    tell("split between words, as over {} bytes long: {}", data::kLongestBpeLine,
         counted(data::lines_cut_by_bpe(texts), "line"));
  }
  ProgressDisplay display(stderr, options.quiet ? Terminal{} : detect_terminal(stderr));
  const auto announce = [&](const std::string& line) {
    if (!options.quiet) display.message(line);
  };
  return learn_pieces(texts,
                      {.vocab_size = static_cast<int32_t>(options.text.vocab_size),
                       .character_coverage = options.character_coverage},
                      Announce([&](const std::string& text) { display.activity(text); }, announce));
}

// In the order of their ids, from 0.
std::string first_entries(const data::Tokenizer& tokenizer) {
  constexpr int32_t kShown = 16;
  std::string text;
  for (int32_t id = 0; id < std::min(tokenizer.size(), kShown); ++id) text += tokenizer.piece(id) + " ";
  return text + "...";
}

void train(const VocabularyOptions& options) {
  options_of(options).require("input");
  options_of(options).require("model");
  const auto begin = std::chrono::steady_clock::now();
  const std::string& path = options.model;
  refuse_existing(path, options.overwrite);
  check_folder_of(path);
  const data::TextPipeline pipeline = text_pipeline(options.text);
  std::vector<std::vector<std::string>> texts;
  for (const std::string& input : options.input) {
    if (options.tsv) {
      data::ParallelText columns =
          data::read_text(data::TextKind::translation, {{.paths = {input}, .tsv = true}}, pipeline);
      texts.push_back(std::move(columns.source));
      texts.push_back(std::move(columns.target));
    } else {
      texts.push_back(data::read_text(data::TextKind::target_only, {{.paths = {input}}}, pipeline).target);
    }
  }
  refuse_input_as_output(path);
  std::vector<const std::vector<std::string>*> views;
  for (const auto& text : texts) views.push_back(&text);
  const auto tokenizer =
      options.text.tokenizer == "spm" ? train_pieces(options, views) : train_words(options, views);
  tokenizer->save(path);
  if (options.quiet) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  tell("{}: {} entries ({}), hash {}; {:.1f} s, {:.0f} MB", path, tokenizer->size(),
       first_entries(*tokenizer), tokenizer->hash(), time.count(), peak_memory_mb());
  if (options.text.tokenizer == "spm" && tokenizer->size() < options.text.vocab_size)
    tell("fewer than the {} of --vocab-size: the text has no more", grouped(options.text.vocab_size));
}

// The side of a model that -m names; a file has one.
std::shared_ptr<const data::Tokenizer> side_of(const TextModel& model, const CodeOptions& options) {
  return options.side == "source" ? model.vocabularies.source : model.vocabularies.target;
}

std::string ids_text(const std::vector<int32_t>& ids) { return fmt::format("{}", fmt::join(ids, " ")); }

void encode(const CodeOptions& options) {
  options_of(options).require("model");
  watch_signals();
  const TextModel model = read_text_model({options.model});
  const auto tokenizer = side_of(model, options);
  const auto pieces = data::piece_tokenizer(tokenizer, false, true);
  const data::TextPipeline pipeline = model.pipeline(*tokenizer, options.lowercase);
  const bool as_ids = options.format == "id";
  data::LineReader reader(options.input);
  OutputFile output(options.output, somebody_waits(options.input));
  for (std::string line; reader.next(line);) {
    answered(is_typed(options.input), [&] {
      data::check_utf8(reader.name(), reader.line_number(), line);
      const std::vector<int32_t> ids = tokenizer->encode(pipeline.prepare(line));
      output.write_line(as_ids ? ids_text(ids) : pieces->decode(ids));
    });
  }
  output.close();
}

int32_t parsed_id(const data::Tokenizer& tokenizer, std::string_view word, const data::LineReader& reader) {
  const auto id = number_in<int32_t>(word);
  if (id && *id >= 0 && *id < tokenizer.size()) return *id;
  fail(ErrorKind::data, "{}:{}: '{}' is not an id of the vocabulary (0 to {})", reader.name(),
       reader.line_number(), word, tokenizer.size() - 1);
}

std::vector<int32_t> parsed_ids(const data::Tokenizer& tokenizer, const std::string& line,
                                const data::LineReader& reader) {
  std::vector<int32_t> ids;
  for (const std::string_view word : data::split_on_space(line))
    ids.push_back(parsed_id(tokenizer, word, reader));
  return ids;
}

void decode(const CodeOptions& options) {
  options_of(options).require("model");
  watch_signals();
  const auto tokenizer = side_of(read_text_model({options.model}), options);
  const auto pieces = data::piece_tokenizer(tokenizer, true, false);
  const bool is_id = options.format == "id";
  data::LineReader reader(options.input);
  OutputFile output(options.output, somebody_waits(options.input));
  for (std::string line; reader.next(line);) {
    answered(is_typed(options.input), [&] {
      data::check_utf8(reader.name(), reader.line_number(), line);
      output.write_line(
          tokenizer->decode(is_id ? parsed_ids(*tokenizer, line, reader) : pieces->encode(line)));
    });
  }
  output.close();
}

// What both reports need: the vocabularies of both sides, and how the text of each is checked.
struct Reporting {
  TextModel model;
  data::CheckOptions source, target;
};

Reporting reporting(const CheckOptions& options) {
  options_of(options).require("input");
  const auto& paths = options.model;
  Reporting result{.model = paths.empty() ? TextModel{} : read_text_model(paths), .source = {}, .target = {}};
  const auto checking = [&](const std::shared_ptr<const data::Tokenizer>& tokenizer) -> data::CheckOptions {
    const bool lowercase = options.lowercase;
    return {.tokenizer = tokenizer.get(),
            .pipeline = tokenizer ? result.model.pipeline(*tokenizer, lowercase)
                                  : data::TextPipeline{.lowercase = lowercase},
            .max_length = options.max_length};
  };
  result.source = checking(result.model.vocabularies.source);
  result.target = checking(result.model.vocabularies.target);
  return result;
}

// One text, or two that should be parallel, in two files or columns; exit code 1 if training would
// refuse them.
int check(const CheckOptions& options) {
  const Reporting with = reporting(options);
  const auto& paths = options.input;
  const bool columns = options.tsv;
  if (paths.size() > (columns ? 1 : 2))
    fail(ErrorKind::usage, "xformer-vocab check takes one file, or without --tsv two that are parallel");
  if (paths.size() == 1 && !columns) {
    const auto report = data::check_text(paths[0], with.source);
    print_page(data::describe(report) + data::verdict(report));
    return report.clean() ? 0 : 1;
  }
  const auto report = columns ? data::check_columns(paths[0], with.source, with.target)
                              : data::check_corpus(paths[0], paths[1], with.source, with.target);
  print_page(data::describe(report));
  return report.clean() ? 0 : 1;
}

void stats(const CheckOptions& options) {
  const Reporting with = reporting(options);
  const auto& paths = options.input;
  for (size_t text = 0; text < paths.size(); ++text) {
    if (options.tsv) {
      const auto report = data::check_columns(paths[text], with.source, with.target);
      print_page(data::describe(report.source) + data::describe(report.target));
    } else {
      print_page(data::describe(data::check_text(paths[text], text == 0 ? with.source : with.target)));
    }
  }
}

// The folder to write a corpus into; none of its files may be there.
template <typename Config>
const std::string& corpus_folder(const Config& options, std::initializer_list<const char*> ends) {
  options_of(options).require("output");
  const std::string& folder = options.output;
  for (const char* name : {"train", "valid", "test"}) {
    for (const char* end : ends)
      refuse_existing(fmt::format("{}/{}.{}", folder, name, end), options.overwrite);
  }
  return folder;
}

void demo_corpus(const DemoCorpusOptions& options) {
  const std::string& folder = corpus_folder(options, {"en", "de"});
  const int64_t pairs = options.pairs;
  data::write_demo_corpus(folder, static_cast<uint64_t>(options.seed), pairs);
  if (!options.quiet) {
    tell("{}: {} to train on, {} to validate, {} to test", folder, counted(pairs, "pair"),
         data::kDemoHeldOutPairs, data::kDemoHeldOutPairs);
  }
}

void demo_molecules(const DemoMoleculesOptions& options) {
  const std::string& folder = corpus_folder(options, {"smi", "random.smi"});
  data::write_molecule_corpus(folder, static_cast<uint64_t>(options.seed));
  if (!options.quiet) {
    tell("{}: {} to train on, {} to validate, {} to test", folder, counted(data::kTrainMolecules, "molecule"),
         grouped(data::kHeldOutMolecules), grouped(data::kHeldOutMolecules));
  }
}

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      command("train a vocabulary on text", VocabularyOptions(), train),
      command("convert text to pieces or ids", CodeOptions("xformer-vocab encode"), encode),
      command("convert pieces or ids to text", CodeOptions("xformer-vocab decode"), decode),
      command("check text for problems in training", CheckOptions("xformer-vocab check"), check),
      command("count lines, words, characters, tokens", CheckOptions("xformer-vocab stats"), stats),
      command("print a padded batch, with the options of torchtext's Field", FieldOptions(),
              [](const FieldOptions& options) { print_page(tutorials::field_page(options)); }),
      command("measure the share of padding in an epoch's batches", PaddingOptions(),
              [](const PaddingOptions& options) { print_page(batch_padding(options)); }),
      command("write a small English-German corpus", DemoCorpusOptions(), demo_corpus),
      command("write a corpus of molecules as SMILES strings", DemoMoleculesOptions(), demo_molecules),
  };
  return list;
}

int vocab(int argc, char** argv) {
  return run_command("xformer-vocab", "trains vocabularies and checks text", commands(), argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::vocab); }
