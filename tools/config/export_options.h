// The configurations of xformer-export's commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-export average
struct AverageOptions : Configuration {
  AverageOptions() : Configuration(Program::export_average) {}

  std::string model;
  std::optional<int64_t> last;
  std::optional<int64_t> best;
  std::vector<std::string> checkpoints;
  std::string output;
  bool overwrite = false;
};

// xformer-export quantize
struct QuantizeOptions : Configuration {
  QuantizeOptions() : Configuration(Program::export_quantize) {}

  std::string model;
  std::string output;
  bool overwrite = false;
};

// xformer-export inspect
struct InspectOptions : Configuration {
  InspectOptions() : Configuration(Program::export_inspect) {}

  std::string model;
  std::string format = "text";
};

// xformer-export diff
struct DiffOptions : Configuration {
  DiffOptions() : Configuration(Program::export_diff) {}

  std::vector<std::string> models;
  double tolerance = 0;
  std::string format = "text";
};

// xformer-export to
struct ExportOptions : Configuration {
  ExportOptions() : Configuration(Program::export_to) {}

  std::string format;
  std::string model;
  std::string output;
  bool overwrite = false;
  std::string quantization = "float32";
  bool verify = false;
};

void list_options(AverageOptions& o, OptionList& list);
void list_options(QuantizeOptions& o, OptionList& list);
void list_options(InspectOptions& o, OptionList& list);
void list_options(DiffOptions& o, OptionList& list);
void list_options(ExportOptions& o, OptionList& list);

}  // namespace xf::tools
