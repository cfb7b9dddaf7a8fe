// The library in a few lines: train a model, load it, translate with it, ask it for probabilities,
// measure translations, make other models of it. TrainingOptions are those of the programs, spelled
// as on their command lines (xformer-translate --help), so that there is one table of them.
// Errors are xf::Error (core/error.h), a std::runtime_error whose message says what to do, for
// whatever the program would end with. Signals are left to the caller: ask_stop(SIGINT)
// (core/stop.h), from another thread, ends what runs with the exception Stopped, a training after
// it has saved; forget_stop() before the next call. What lies below, kernels for memory of one's
// own among it (Tensor::view, kernels/): nn/, data/, autograd/, kernels/ and core/ beside this
// header.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace xf {

using Lines = std::vector<std::string>;  // UTF-8 without line ends

// "1.2.3": what a call means changes with the first number, until version 1 with the second.
const char* version();

// The lines of a text file, as the programs read it: packed or not, a line ends at LF alone (text
// may hold U+2028 and the like), a CR before it and a byte order mark are dropped.
Lines read_lines(const std::string& path);

// One translation that a search found.
struct Hypothesis {
  std::string text;
  double log_probability = 0;  // of all its pieces and </s>, in nats
  double score = 0;            // what hypotheses compare by: --normalize and the like applied
  bool cut = false;            // the length limit came before its end
  bool cropped = false;        // its line was too long to read: a translation of the line's
                               // beginning
};

// A trained model in memory. Not for several threads at once; it uses the cores by itself.
class Translator {
 public:
  // `run`: a run folder, one of its checkpoints, or another toolkit's model folder. `options`:
  // {"--beam-size", "2", "--cpu-threads", "1"}, say; the rest is as the model was trained to be
  // used.
  explicit Translator(const std::string& run, const std::vector<std::string>& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // The best translation of each line, in order. Many lines at once are faster than one by one:
  // they are sorted by length and translated in batches.
  Lines translate(const Lines& lines);

  // What the search found for each line, best first: one, or with --n-best as many as the beam is
  // wide.
  std::vector<std::vector<Hypothesis>> hypotheses(const Lines& lines);

  // Warnings since the last call of this function: lines that were cropped, translations that were
  // cut, what another toolkit's model does otherwise.
  Lines take_warnings();

  // log p, in nats, of each token of each target, given its source and the tokens before, </s>
  // last. Their sum is the target's; a token is a piece of the model's vocabulary. As many targets
  // as sources.
  std::vector<std::vector<double>> score(const Lines& sources, const Lines& targets);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// How good translations are, with sacreBLEU's digits.
struct Score {
  std::string name;       // "BLEU", "chrF2", "TER"
  double value = 0;       // 0 to 100; TER's may be more
  std::string signature;  // what was computed: nrefs:1|case:mixed|...
  std::string text;       // as xformer-score prints it
};

// `metric`: bleu, chrf or ter. references[r][i] is the r-th reference of hypothesis i. `options`:
// of xformer-score, those of the metrics and of the form: {"--lowercase", "--tokenize", "intl"},
// say.
Score score(const std::string& metric, const Lines& hypotheses, const std::vector<Lines>& references,
            const std::vector<std::string>& options = {});

// What xformer-train does with these arguments: {"-c", "config.toml"}, say. Goes on where the run
// folder holds a run that is not finished. Reports progress on the standard error as the program
// does ("--quiet" is silent).
void train(const std::vector<std::string>& arguments);

// What xformer-export does with these arguments: {"to", "ctranslate2", "-m", "run", "-o",
// "folder"}, say; "average", "quantize" and "to".
void export_model(const std::vector<std::string>& arguments);

// What a model consists of, as JSON: what xformer-export inspect --format json prints.
std::string inspect(const std::string& model);

}  // namespace xf
