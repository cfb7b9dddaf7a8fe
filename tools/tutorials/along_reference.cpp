#include "tools/tutorials/commands.h"

#include "core/error.h"
#include "data/text_file.h"
#include "tools/console/message.h"
#include "tools/console/output_file.h"
#include "tools/console/progress.h"
#include "tools/inference/model_translator.h"
#include "tools/inference/teacher_forcing.h"
#include "tools/tutorials/tutorial_bleu.h"
#include "tools/tutorials/tutorial_log.h"

namespace xf::tutorials {

using namespace tools;

namespace {

// Of each batch the first `shown` lines.
void write_examples(const std::vector<ForcedLine>& lines, const data::TutorialBleu& score, size_t batch,
                    size_t shown, OutputFile& output) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i % batch < shown)
      output.write_line(example_block(lines[i].source, lines[i].target, lines[i].predicted));
    if ((i + 1) % batch == 0 || i + 1 == lines.size())
      output.write_line(batch_score_line(score.batches[i / batch]));
  }
  output.write_line(total_score_line(score.score));
}

}  // namespace

int translate_along_reference(const TranslationOptions& options) {
  const bool examples = options.output_format == "tutorial";
  if (options.is_given("num-examples") && !examples)
    fail(ErrorKind::usage, "--num-examples is for --output-format tutorial");
  const ModelTranslator model(options);
  const int64_t batch = options.mini_batch;
  const std::string& reference = options.teacher_forced;
  const data::ParallelText text = data::read_text(
      data::TextKind::translation, {{.paths = {options.input, reference}}}, model.model->pipeline);
  OutputFile output(options.output);
  Arena arena(model.device);
  const std::vector<ForcedLine> lines =
      teacher_forced(model.translation, arena, model.model->vocabularies, text.source, text.target, batch);
  std::vector<std::string> predicted, wanted;
  for (const ForcedLine& line : lines) {
    predicted.push_back(line.predicted);
    wanted.push_back(line.target);
  }
  const data::TutorialBleu score = data::tutorial_bleu(predicted, wanted, batch);
  if (examples) {
    const int64_t shown = options.num_examples.value_or(batch);
    write_examples(lines, score, static_cast<size_t>(batch), static_cast<size_t>(shown), output);
  } else {
    for (const std::string& line : predicted) output.write_line(line);
  }
  output.close();
  if (!options.quiet)
    tell("{} along {}, model {}: {}", counted(static_cast<int64_t>(lines.size()), "line"), reference,
         model.name(), data::format(score, 2));
  return 0;
}

}  // namespace xf::tutorials
