// Writes man pages and completions below a folder, where a system looks for them; run by the build.
//   write_option_pages FOLDER
#include <filesystem>

#include "core/file.h"
#include "tools/console/main.h"
#include "tools/programs/option_pages.h"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  xf::atomic_write(file.string(), text);
}

int write_pages(int, char** argv) {
  using namespace xf::tools;
  const fs::path folder = argv[1];
  for (const std::string& program : installed_programs()) {
    write(folder / "man/man1" / (program + ".1"), man_page(program));
    write(folder / "bash-completion/completions" / program, bash_completion(program));
    write(folder / "zsh/site-functions" / ("_" + program), zsh_completion(program));
    write(folder / "fish/vendor_completions.d" / (program + ".fish"), fish_completion(program));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return xf::tools::run_program(argc, argv, write_pages); }
