// The programs, and what --help says of them first.
#pragma once

#include <string>
#include <vector>

namespace xf::tools {

// The subcommands of xformer-vocab, xformer-explain and others are programs of their own here.
enum class Program {
  train,
  translate,
  score,
  vocab_train,
  vocab_encode,
  vocab_decode,
  vocab_check,
  vocab_stats,
  vocab_demo_corpus,
  explain_op,
  explain_steps,
  explain_masks,
  explain_positions,
  explain_attention,
  explain_flow,
  explain_tape,
  explain_gradients,
  explain_beam,
  explain_logits,
  explain_quirk,
  vocab_field,
  vocab_batches,
  vocab_demo_molecules,
  score_table,
  score_lm,
  generate,
  classify,
  score_smiles,
  export_average,
  export_quantize,
  export_inspect,
  export_diff,
  export_to,
  bench,
  bench_report,
};
inline constexpr int kPrograms = static_cast<int>(Program::bench_report) + 1;

// Every one, in the order above.
const std::vector<Program>& all_programs();

// "xformer-train", "xformer-vocab encode"
std::string program_name(Program program);
// A sentence, an empty line, and lines that call it, two spaces in front.
std::string program_summary(Program program);

}  // namespace xf::tools
