// The contents of the walk: which of the model's values each step shows (tools/tutorials/steps.h).
#pragma once

#include <string>
#include <vector>

namespace xf::tools::explain {

struct ValueRow {
  const char* name;
  const char *block, *symbol;  // as tools/tutorials/model/ shows it
  bool in_flow = false;        // its shape is one of those that the step's data takes
};

struct StepRow {
  const char *number, *title, *text;
  std::vector<ValueRow> values;
};

const std::vector<StepRow>& step_table();

// Of docs/derivations, where the equation is derived. Error failure for an id of no page.
std::string page_of(const std::string& equation);

}  // namespace xf::tools::explain
