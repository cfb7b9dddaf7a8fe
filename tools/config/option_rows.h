// The rows behind option_table(), in files: what trains a model, what explains, what scores, what makes something else of
// a model, what times, what uses a model or works on text.
#pragma once

#include <vector>

#include "tools/config/option_table.h"

namespace xf::tools {

// One row, written as a sentence: integer("dim-emb", kByTask, "N", "width of the model").at_least(2)
struct Row : OptionSpec {
  Row alias(std::string_view spellings) { return aliases = spellings, *this; }
  Row value(std::string_view shown) { return value_name = shown, *this; }
  Row at_least(double smallest) { return minimum = smallest, *this; }
  Row between(double smallest, double largest) { return maximum = largest, at_least(smallest); }
  Row exactly(int count) { return min_values = max_values = count, *this; }
  Row up_to(int count) { return max_values = count, *this; }
  Row any_number() { return up_to(kAnyNumber); }
  Row seldom() { return rare = true, *this; }
  Row bare() { return positional = true, *this; }
  Row keeps(Keep rule) { return keep = rule, *this; }
  Row of_ranks(AmongRanks rule) { return among_ranks = rule, *this; }
  Row only(Programs accepting) { return programs = accepting, *this; }
};

inline Row row(OptionType type, std::string_view name, std::string_view default_value,
               std::string_view value_name, std::string_view help) {
  Row made;
  made.name = name;
  made.type = type;
  made.default_value = default_value;
  made.value_name = value_name;
  made.help = help;
  return made;
}
inline Row text(std::string_view name, std::string_view value, std::string_view shown,
                std::string_view help) {
  return row(OptionType::text, name, value, shown, help);
}
inline Row integer(std::string_view name, std::string_view value, std::string_view shown,
                   std::string_view help) {
  return row(OptionType::integer, name, value, shown, help);
}
inline Row real(std::string_view name, std::string_view value, std::string_view shown,
                std::string_view help) {
  return row(OptionType::real, name, value, shown, help);
}
inline Row amount(std::string_view name, std::string_view value, std::string_view shown,
                  std::string_view help) {
  return row(OptionType::amount, name, value, shown, help);
}
inline Row flag(std::string_view name, std::string_view value, std::string_view help) {
  return row(OptionType::boolean, name, value, "", help);
}
inline Row choice(std::string_view name, std::string_view choices, std::string_view value,
                  std::string_view help) {
  Row made = row(OptionType::choice, name, value, "", help);
  made.choices = choices;
  return made;
}

// Rows that share a heading in --help; a row inherits programs and keep unless it says something else.
struct OptionSection {
  std::string_view group;
  Programs programs;
  Keep keep = Keep::fixed;
  std::vector<Row> rows;
};

using OptionGroup = std::vector<OptionSection>;

// Of --normalize: the longest translation to this power is a double still.
constexpr double kLargestPower = 50;

// No batch comes near it; beyond, sizes of pools of batches would be counted in more than 64 bits.
constexpr double kLargestBatch = 1e8;

constexpr std::string_view kRunHelp = "run folder (its averaged model if there is one) or a checkpoint";

// Of a model that is used.
inline Row precision_option() {
  return choice(
      "precision", "float32|tf32|bfloat16|int8", "",
      "of weights and activations; tf32: float32, but for CUDA's products; int8: on the CPU, matrices and "
      "what they "
      "multiply are rounded to 8 bits; default: int8 for a model of xformer-export quantize, else float32");
}

// Commands of xformer-explain that translate with a model, and those that compute with one on the CPU alone.
constexpr Programs kExplainTranslating =
    Program::explain_attention | Program::explain_flow | Program::explain_beam | Program::explain_logits;
constexpr Programs kExplainComputing = Program::explain_tape | Program::explain_gradients;

OptionGroup training_options();    // xformer-train
OptionGroup explaining_options();  // xformer-explain
OptionGroup scoring_options();     // xformer-score
OptionGroup exporting_options();   // xformer-export
OptionGroup benchmark_options();   // xformer-bench
OptionGroup using_options();  // xformer-translate, -generate, -classify, -vocab, and what every program has

}  // namespace xf::tools
