// Names that are no option here: those that other toolkits' users bring along, joeynmt's keys,
// fairseq's options, plain words (docs/guide/option_names.md has the table); and those of options
// that were removed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xf::tools {

// What it is called here: "learn-rate" for "lr" or "learning_rate"; in programs that differ, by
// several names; none for a name that is not known.
std::vector<std::string> native_names(std::string_view foreign);

// What `program` says of an option of another toolkit that it cannot have: "; it downloads no test
// sets: ...". "" for others.
std::string why_refused(std::string_view program, std::string_view option);

// "; did you mean 'learn-rate'?": by other toolkits' names, if the name so found is among the
// candidates, else by the nearest.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates,
                       std::string_view prefix = "");

// An option that earlier versions had. The configuration of a stored run may still hold it.
struct RemovedOption {
  std::string_view name;
  std::string_view needed;  // the option without which it had no effect, perhaps itself; 0: off
  std::string_view why;     // a sentence without its end
};
// Null for a name that `program` never had, or still has.
const RemovedOption* find_removed(std::string_view program, std::string_view name);

}  // namespace xf::tools
