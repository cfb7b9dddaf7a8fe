// What `xformer-explain op` shows.
#include <fmt/core.h>

#include "core/error.h"
#include "tools/config/program_options.h"
#include "tools/explain/op.h"

namespace xf::tools::explain {

namespace {

std::string list_of_ops() {
  std::string text;
  for (const Op& op : ops()) {
    std::string ids, inputs;
    for (const auto& equation : op.equations) ids += fmt::format("{}{}", ids.empty() ? "" : " ", equation.id);
    for (const auto& input : op.inputs) {
      const bool optional = *input.example == '\0';
      inputs +=
          fmt::format(fmt::runtime(optional ? "{}[{}]" : "{}{}"), inputs.empty() ? "" : " ", input.name);
    }
    text += fmt::format("{:<18}{:<24}{}\n", op.name, ids, inputs);
  }
  return text;
}

// "NAME=VALUES" words, and --x and --dy.
std::map<std::string, std::string> given_inputs(const OpOptions& options) {
  std::map<std::string, std::string> given;
  if (!options.x.empty()) given["x"] = options.x;
  if (!options.dy.empty()) given["dy"] = options.dy;
  for (const std::string& word : options.with) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
      fail(ErrorKind::usage, "--with: '{}' must be NAME=VALUES, as gamma=1,2,3", word);
    const std::string name = word.substr(0, equals);
    if (!given.emplace(name, word.substr(equals + 1)).second)
      fail(ErrorKind::usage, "--with {}: {} is given twice; leave out one", word, name);
  }
  return given;
}

void demand_list_alone(const OpOptions& options) {
  for (const char* name : {"x", "dy", "with"}) {
    if (options_of(options).at(name).is_set())
      fail(ErrorKind::usage, "--{}: belongs to an op; name one, such as softmax", name);
  }
  if (options.format != "text")
    fail(ErrorKind::usage, "--format {}: the list of ops is text; name one, as softmax", options.format);
}

}  // namespace

std::string op_page(const OpOptions& options) {
  if (options.op.empty()) {
    demand_list_alone(options);
    return list_of_ops();
  }
  const Explanation explanation = explain(find_op(options.op), given_inputs(options));
  return options.format == "json" ? to_json(explanation) : to_text(explanation);
}

}  // namespace xf::tools::explain
