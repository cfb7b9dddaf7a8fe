// The configurations of xformer-bench.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/config/option_list.h"
#include "tools/config/shared_options.h"

namespace xf::tools {

// xformer-bench
struct BenchOptions : Configuration {
  BenchOptions() : Configuration(Program::bench) {}

  std::string fn;
  std::string shape;
  std::string preset = "tiny";
  std::string dtype = "f32";
  std::string device = "cpu";
  std::string baseline = "none";
  int64_t threads = 0;
  int64_t samples = 0;
  bool warm = false;
  bool check = false;
  bool check_only = false;
  double plant = 0;
  bool list = false;
  bool count_launches = false;
  std::string kernel;
  double kernel_limit = 60;
  bool kernel_header = false;
  std::string format = "table";
  bool roofline = false;
  std::string label;
  bool add = false;
  bool scaling = false;
  std::string against;
  std::string compare;
  std::string fail_if_regression;
  std::string turns;
  std::string end_to_end;
  std::string model;
  std::string input;
  std::string data;
  int64_t beam = 5;
  int64_t mini_batch = 128;
  int64_t updates = 300;
};

// xformer-bench report
struct BenchReportOptions : Configuration {
  BenchReportOptions() : Configuration(Program::bench_report) {}

  std::vector<std::string> results;
  std::string output = "report.html";
};

void list_options(BenchOptions& o, OptionList& list);
void list_options(BenchReportOptions& o, OptionList& list);

}  // namespace xf::tools
