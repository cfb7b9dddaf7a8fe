// The library in a few lines: load a run of xformer-train and translate with it; train one. Options are those of the
// programs, spelled as on their command lines (xformer-translate --help), so that there is one table of them.
// Errors are xf::Error (core/error.h), a std::runtime_error whose message says what to do, for whatever the program
// would end with. What lies below: nn/, data/, autograd/, kernels/ and core/ beside this header.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace xf {

// A trained model in memory. Not for several threads at once; it uses the cores by itself.
class Translator {
 public:
  // `run`: a run folder or one of its checkpoints. `options`: {"--beam-size", "2", "--cpu-threads", "1"}, say; the rest
  // is as the model was trained to be used.
  explicit Translator(const std::string& run, const std::vector<std::string>& options = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // The best translation of each line, in order. Lines are UTF-8 without line ends. Many lines at once are faster than
  // one by one: they are sorted by length and translated in batches.
  std::vector<std::string> translate(const std::vector<std::string>& lines);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// What xformer-train does with these arguments: {"-c", "config.toml"}, say. Goes on where the run folder holds a run that
// is not finished. Reports progress on the standard error as the program does ("--quiet" is silent), and leaves signals
// to the caller.
void train(const std::vector<std::string>& arguments);

}  // namespace xf
