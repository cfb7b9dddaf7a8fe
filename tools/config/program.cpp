#include "tools/config/program.h"

namespace xf::tools {

std::string program_name(Program program) {
  switch (program) {
    case Program::train: return "xformer-train";
    case Program::translate: return "xformer-translate";
    case Program::score: return "xformer-score";
    case Program::score_smiles: return "xformer-score smiles";
    case Program::score_lm: return "xformer-score lm";
    case Program::score_table: return "xformer-score table";
    case Program::generate: return "xformer-generate";
    case Program::classify: return "xformer-classify";
    case Program::vocab_train: return "xformer-vocab train";
    case Program::vocab_encode: return "xformer-vocab encode";
    case Program::vocab_decode: return "xformer-vocab decode";
    case Program::vocab_check: return "xformer-vocab check";
    case Program::vocab_stats: return "xformer-vocab stats";
    case Program::vocab_field: return "xformer-vocab field";
    case Program::vocab_batches: return "xformer-vocab batches";
    case Program::vocab_demo_corpus: return "xformer-vocab demo-corpus";
    case Program::vocab_demo_molecules: return "xformer-vocab demo-molecules";
    case Program::export_average: return "xformer-export average";
    case Program::export_quantize: return "xformer-export quantize";
    case Program::export_inspect: return "xformer-export inspect";
    case Program::export_diff: return "xformer-export diff";
    case Program::export_to: return "xformer-export to";
    case Program::bench: return "xformer-bench";
    case Program::bench_report: return "xformer-bench report";
    case Program::explain_op: return "xformer-explain op";
    case Program::explain_steps: return "xformer-explain steps";
    case Program::explain_masks: return "xformer-explain masks";
    case Program::explain_positions: return "xformer-explain positions";
    case Program::explain_attention: return "xformer-explain attention";
    case Program::explain_flow: return "xformer-explain flow";
    case Program::explain_tape: return "xformer-explain tape";
    case Program::explain_gradients: return "xformer-explain gradients";
    case Program::explain_beam: return "xformer-explain beam";
    case Program::explain_logits: return "xformer-explain logits";
    case Program::explain_quirk: return "xformer-explain quirk";
  }
  return "xformer";
}

const std::vector<Program>& all_programs() {
  static const std::vector<Program> programs = [] {
    std::vector<Program> all;
    for (int i = 0; i < kPrograms; ++i) all.push_back(static_cast<Program>(i));
    return all;
  }();
  return programs;
}

std::string program_summary(Program program) {
  switch (program) {
    case Program::train:
      return "Trains a Transformer on parallel text, "
             "a language model on text, a classifier on texts and classes.\n\n"
             "  xformer-train -t train.en train.de --valid-sets val.en val.de -m RUN\n"
             "  xformer-train --task language-model -t train.en --valid-sets val.en -m RUN\n"
             "  xformer-train --task classification -t train.text train.labels -m RUN\n"
             "  xformer-train --report RUN... -o FILE          runs that there are, compared on one page\n";
    case Program::translate:
      return "Translates text, line by line.\n\n  xformer-translate -m RUN -i FILE -o FILE\n";
    case Program::score:
      return "Scores translations: corpus BLEU, chrF and TER, the digits of sacreBLEU.\n\n"
             "  xformer-score bleu REF -i HYP\n"
             "  xformer-score REF -i FIRST SECOND -m bleu chrf --paired-bs\n"
             "  xformer-score lm --help        the loss of a saved model on a text\n"
             "  xformer-score table --help     runs beside each other\n"
             "  xformer-score smiles --help    the validity of generated molecules\n";
    case Program::score_lm:
      return "The loss and perplexity of a saved model on a text; of a classifier accuracy and F1 too.\n\n"
             "  xformer-score lm -m RUN -t test.en test.de\n";
    case Program::score_table:
      return "Models, their data and their scores, as the run folders have them.\n\n"
             "  xformer-score table RUN...\n";
    case Program::score_smiles:
      return "How many lines can be read (no brackets, "
             "no stereochemistry), how many of these are valid SMILES\n"
             "strings, how many of those are different molecules, and how many of these are new.\n\n"
             "  xformer-generate -m RUN --samples 1000 | xformer-score smiles --train train.smi\n";
    case Program::generate:
      return "Lines from a language model, drawn token by token.\n\n"
             "  xformer-generate -m RUN --samples 5\n"
             "  echo 'two dogs' | xformer-generate -m RUN -i -\n";
    case Program::classify: return "The class of each line of text.\n\n  xformer-classify -m RUN -i FILE\n";
    case Program::vocab_train:
      return "Makes a vocabulary.\n\n  xformer-vocab train -i FILE... -m VOCABULARY\n";
    case Program::vocab_encode:
      return "Text to pieces or ids.\n\n  xformer-vocab encode -m VOCABULARY -i FILE\n";
    case Program::vocab_decode:
      return "Pieces or ids to text.\n\n  xformer-vocab decode -m VOCABULARY -i FILE\n";
    case Program::vocab_check:
      return "Looks for what training would stumble over.\n\n"
             "  xformer-vocab check train.en train.de\n";
    case Program::vocab_stats:
      return "Counts lines, words, characters and tokens.\n\n  xformer-vocab stats FILE...\n";
    case Program::vocab_field:
      return "The first lines of a text as one padded batch, by the options of torchtext's Field. Several "
             "files share\none vocabulary.\n\n"
             "  xformer-vocab field train.en --init-token '<sos>' --eos-token '<eos>' --batch-first\n";
    case Program::vocab_batches:
      return "How many batches an epoch has, and what share of them padding would be: in random order, from "
             "sorted pools,\nand sorted as a whole.\n\n"
             "  xformer-vocab batches train.en train.de --mini-batch 128 --maxi-batch 100\n";
    case Program::vocab_demo_corpus:
      return "Writes the English-German demo corpus.\n\n  xformer-vocab demo-corpus DIR\n";
    case Program::vocab_demo_molecules:
      return "Writes a corpus of molecules as SMILES strings: "
             "canonical ones, and of the same molecules random ones.\n\n  xformer-vocab demo-molecules DIR\n";
    case Program::export_average:
      return "The mean of a run's last checkpoints, "
             "of its best ones, or of those that are named, as a model of its own.\n\n"
             "  xformer-export average -m RUN --best 5 -o AVERAGE\n"
             "  xformer-export average CHECKPOINT... -o AVERAGE\n"
             "  xformer-translate -m AVERAGE -i FILE -o FILE\n";
    case Program::export_quantize:
      return "A model's matrices in eight bits, each row with a scale: a quarter of the file, and the same "
             "translations as with --precision int8.\n\n"
             "  xformer-export quantize -m RUN -o SMALL\n"
             "  xformer-translate -m SMALL -i FILE -o FILE\n";
    case Program::export_inspect:
      return "What a model consists of: tensors, parameters by block, update, configuration, vocabulary, "
             "metadata, checksums.\n\n"
             "  xformer-export inspect RUN\n"
             "  xformer-export inspect model.safetensors --format json\n";
    case Program::export_diff:
      return "In what two models differ: tensors, by how much, settings of the model, vocabularies. "
             "Exit code 0: in nothing; 1: in\nwhat it prints.\n\n"
             "  xformer-export diff RUN/checkpoints/update-001000 RUN/latest\n"
             "  xformer-export diff opus-mt-en-de RUN --format json\n"
             "  xformer-export diff before.safetensors after.safetensors --tolerance 1e-6\n";
    case Program::export_to:
      return "A model for another toolkit, its weights in a file that any program reads, "
             "or another toolkit's model for\nthis one.\n\n"
             "  xformer-export to ctranslate2 -m RUN -o DIR --quantization int8 --verify\n"
             "  xformer-export to hf-marian -m RUN -o DIR\n"
             "  xformer-export to safetensors -m RUN -o FILE\n"
             "  xformer-export to xformer -m FOREIGN -o RUN\n";
    case Program::bench:
      return "Times kernels, the training step and "
             "whole programs against this machine's floor and against peers.\n\n"
             "  xformer-bench --fn train_step --preset tiny\n"
             "  xformer-bench --fn layer_norm --baseline torch\n"
             "  xformer-bench --kernel mine.so --fn layer_norm_forward --shape N=4096,D=1:65536:*2\n"
             "  xformer-bench --against OTHER/xformer-bench --fail-if-regression 5%\n"
             "  xformer-bench report --help    a page of stored results\n";
    case Program::bench_report:
      return "A page of stored results: rooflines, peers, history.\n\n"
             "  xformer-bench report before after --output report.html\n";
    case Program::explain_op:
      return "An op's equations by id (docs/derivations), "
             "with the values that they have on numbers of yours: of the\n"
             "plain kernel, of the fast one, and of central differences. "
             "Without a name: the ops and their inputs.\n\n"
             "  xformer-explain op layer_norm --x 1,2,3,4 --dy 1,0,0,0\n";
    case Program::explain_steps:
      return "A walk through a small Transformer with its numbers: "
             "embedding, attention, layers, stacks, masks, logits;\n"
             "for each step its shapes, values, "
             "equations (docs/derivations) and the lines of code that made them.\n\n"
             "  xformer-explain steps --task seed001 --step 2.1.1\n";
    case Program::explain_masks:
      return "Which positions may see which, padded and packed, "
             "and what a fill value does to a row of probabilities.\n\n"
             "  xformer-explain masks --source '1 1 4 0; 4 3 2 9' --target '5 2 5 0; 6 7 9 8' --pad 0\n";
    case Program::explain_positions:
      return "The sinusoids that tell the model where a token stands: table, heat map and curves.\n\n"
             "  xformer-explain positions --length 50 --dim 64 -f svg -o positions.svg\n";
    case Program::explain_attention:
      return "What each head of a trained model looks at, for one sentence and its translation.\n\n"
             "  xformer-explain attention -m RUN 'The animal was tired' -f html -o attention.html\n";
    case Program::explain_flow:
      return "Data on its way through a part of the Transformer, "
             "with the values of one sentence, as an animated picture.\n\n"
             "  xformer-explain flow encoder -o encoder.svg\n"
             "  xformer-explain flow decoding -m RUN \"A dog sleeps.\" -o decoding.svg\n";
    case Program::explain_tape:
      return "The tape of one training step: each node, "
             "what it reads and makes, the memory in use, and the gradient that\nreached it.\n\n"
             "  xformer-explain tape\n"
             "  xformer-explain tape -m RUN \"A "
             "dog runs.\" --target \"Ein Hund rennt.\" --format svg -o tape.svg\n";
    case Program::explain_gradients:
      return "Each parameter's gradient for one sentence pair; "
             "with --check its error against central differences.\n\n"
             "  xformer-explain gradients --check\n"
             "  xformer-explain gradients --check -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n";
    case Program::explain_beam:
      return "The beam search for one sentence: "
             "which hypotheses live, end and fall off, and how the winner is found.\n\n"
             "  xformer-explain beam -m RUN \"A dog runs.\" --format svg -o beam.svg\n";
    case Program::explain_logits:
      return "The best tokens at each target position: logits, probabilities, and the loss.\n\n"
             "  xformer-explain logits -m RUN \"A dog runs.\" --target \"Ein Hund rennt.\"\n";
    case Program::explain_quirk:
      return "What published Transformers do otherwise, beside what is correct, in numbers (docs/quirks.md). "
             "Without a\nname: the list of them.\n\n"
             "  xformer-explain quirk Q1\n"
             "  xformer-explain quirk Q5 -f svg -o positions.svg\n";
  }
  return "";
}

}  // namespace xf::tools
