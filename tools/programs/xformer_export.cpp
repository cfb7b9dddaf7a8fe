// xformer-export: makes other models of trained ones, and says what a model consists of.
#include "tools/app/export_commands.h"
#include "tools/app/ranks.h"

namespace xf::tools {
namespace {

int export_program(int argc, char** argv) {
  return run_command("xformer-export",
                     "averages checkpoints; quantizes, inspects, compares and converts models",
                     export_commands(), argc, argv);
}

}  // namespace
}  // namespace xf::tools

int main(int argc, char** argv) { return xf::tools::run_alone(argc, argv, xf::tools::export_program); }
