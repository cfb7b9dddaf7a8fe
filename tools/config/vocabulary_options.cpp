#include "tools/config/vocabulary_options.h"

namespace xf::tools {

void list_options(VocabularyOptions& o, OptionList& list) {
  list.group("vocabulary");
  list.add(o.input, "input", "FILE...", "text; several files make one joint vocabulary")
      .alias("-i")
      .any_number()
      .bare();
  list.add(o.tsv, "tsv", "lines of two texts with a tab between them: the vocabulary is of both");
  list.add(o.model, "model", "FILE", "the vocabulary to write").alias("-m --output -o");
  list.add_choice(o.text.tokenizer, "tokenizer", "spm|whitespace|icu|character|spacy3|spacy2.2",
                  "SentencePiece BPE, words as they stand, "
                  "single characters, or words by ICU's or spaCy's rules");
  list.add(o.text.languages, "languages", "L",
           "of the text, en or de, for spaCy's rules; else as its name ends");
  list.add(o.text.vocab_size, "vocab-size", "N", "pieces of a BPE vocabulary").between(8, 1e8);
  list.add(o.character_coverage, "character-coverage", "X", "share of the characters that get a piece (spm)")
      .between(0.98, 1);
  list.add(o.text.min_freq, "min-freq", "N", "rarer words become <unk> (all but spm)").at_least(1);
  list.add(o.overwrite, "overwrite", "replace the file if it exists").keeps(Keep::never);
  list.group("general");
  list.add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CodeOptions& o, OptionList& list) {
  list.group("text");
  list.add(o.model, "model", "FILE|DIR",
           "vocabulary: ours, a SentencePiece model, or a list of another toolkit; or a model, whose "
           "text is lower-cased if it was trained so")
      .alias("-m");
  list.add(o.input, "input", "FILE", "one sentence a line; -: standard input").alias("-i").bare();
  list.add(o.output, "output", "FILE", "-: standard output").alias("-o");
  list.add_choice(o.format, "format", "piece|id", "of the encoded side")
      .alias("--output-format --input-format");
  list.add_choice(o.side, "side", "source|target", "of a model with two vocabularies");
  if (list.program() == Program::vocab_decode) return;
  list.group("general");
  list.add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(CheckOptions& o, OptionList& list) {
  list.group("text");
  list.add(o.input, "input", "FILE...", "text files; check: one, or two that are parallel")
      .alias("-i")
      .any_number()
      .bare();
  list.add(o.tsv, "tsv", "lines of two texts with a tab between them: each column is a text");
  list.add(o.model, "model", "FILE...|DIR",
           "vocabulary: count tokens and unknown ones; two: one per side; or a model, for both")
      .alias("-m")
      .up_to(2);
  list.add(o.max_length, "max-length", "N", "longer lines are reported: in tokens, or in words without -m")
      .at_least(1);
  list.group("general");
  list.add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(FieldOptions& o, OptionList& list) {
  list.group("field");
  list.add(o.input, "input", "FILE...", "text; several files share the vocabulary")
      .alias("-i")
      .any_number()
      .bare();
  list.add(o.num_examples, "num-examples", "N", "lines of each file that make its batch").at_least(1);
  list.add_choice(o.format, "format", "piece|id", "show words or ids");
  list.add(o.sequential, "sequential", "false: a line is one token, neither cut nor padded");
  list.add_choice(o.text.tokenizer, "tokenizer", "whitespace|icu|spacy3|spacy2.2", "how a line is cut");
  list.add(o.text.languages, "languages", "L",
           "of the text, en or de, for spaCy's rules; else as its name ends");
  list.add(o.use_vocab, "use-vocab", "false: tokens are numbers already");
  list.add(o.text.min_freq, "min-freq", "N", "rarer words become --unk-token").at_least(1);
  list.add(o.max_size, "max-size", "N", "words besides the special tokens; 0: all").between(0, 1e8);
  list.add(o.stop_words, "stop-words", "WORD...", "words that are left out").any_number();
  list.add(o.unk_token, "unk-token", "TOKEN",
           "of words outside the vocabulary; none: such a word is an error");
  list.add(o.pad_token, "pad-token", "TOKEN", "fills short rows; none: all must be of equal length");
  list.add(o.init_token, "init-token", "TOKEN", "put before each example");
  list.add(o.eos_token, "eos-token", "TOKEN", "put behind each example");
  list.add(o.fix_length, "fix-length", "N", "tokens of every row, init and eos counted; else as the longest")
      .between(1, 1e6);
  list.add(o.pad_first, "pad-first", "padding goes in front");
  list.add(o.truncate_first, "truncate-first", "what is over --fix-length is cut in front");
  list.add(o.include_lengths, "include-lengths", "tell each example's length without padding");
  list.add(o.batch_first, "batch-first", "an example is a row; else a column");
  list.group("general");
  list.add(o.text.lowercase, "lowercase", "lower-case the text first");
}

void list_options(PaddingOptions& o, OptionList& list) {
  list.group("batches");
  list.add(o.input, "input", "SRC TRG", "parallel text").alias("-i").up_to(2).bare();
  list.add(o.model, "model", "FILE [FILE]|DIR",
           "vocabularies, or a model's, whose tokens are counted; none: words at white space")
      .alias("-m")
      .up_to(2);
  list.add(o.mini_batch, "mini-batch", "N", "sentences of a batch").between(1, kLargestBatch);
  list.add(o.mini_batch_words, "mini-batch-words", "N", "target tokens of a batch, instead of sentences")
      .between(8, 1e8);
  list.add(o.maxi_batch, "maxi-batch", "N", "batches of a pool").between(1, 1e8);
  list.add_choice(o.maxi_batch_sort, "maxi-batch-sort", "src|trg|both",
                  "by the length of which side a pool is sorted; both: by the interleaved bits of the two");
  list.add_choice(o.shuffle, "shuffle", "data|batches|none",
                  "order of the pairs and of a pool's batches; or of all batches alone");
  list.add(o.seed, "seed", "N", "of the shuffling").at_least(0);
  list.group("general");
  list.add(o.lowercase, "lowercase", "lower-case the text first");
}

void list_options(DemoCorpusOptions& o, OptionList& list) {
  list.group("demo corpus");
  list.add(o.output, "output", "DIR", "folder for train, valid and test in .en and .de").alias("-o").bare();
  list.add(o.seed, "seed", "N", "another seed, another corpus").at_least(0);
  list.add(o.overwrite, "overwrite", "replace files that exist").keeps(Keep::never);
  list.add(o.pairs, "pairs", "N",
           "to train on; beyond 20000 a sentence may come again, though none that is held out")
      .at_least(1);
}

void list_options(DemoMoleculesOptions& o, OptionList& list) {
  list.group("demo molecules");
  list.add(o.output, "output", "DIR", "folder for train, valid and test in .smi and .random.smi")
      .alias("-o")
      .bare();
  list.add(o.seed, "seed", "N", "another seed, another corpus").at_least(0);
  list.add(o.overwrite, "overwrite", "replace files that exist").keeps(Keep::never);
}

}  // namespace xf::tools
