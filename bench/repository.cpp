#include "bench/repository.h"

#include <filesystem>
#include <fstream>

#include "bench/process.h"
#include "core/error.h"

namespace xf::bench {

namespace {

namespace fs = std::filesystem;

// Empty where the system does not say.
fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

bool is_anybodys(const fs::path& folder) {
  std::error_code error;
  const fs::perms open =
      fs::status(folder, error).permissions() & (fs::perms::others_write | fs::perms::sticky_bit);
  return open != fs::perms::none;
}

fs::path repository_root() {
  std::error_code error;
  for (fs::path folder = own_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "bench" / "peers", error) && !is_anybodys(folder)) return folder;
  }
  return {};
}

// Behind a program that was packed or installed below a prefix.
std::string packed_commit() {
  const fs::path folder = own_folder();
  std::string line;
  if (!folder.empty()) std::getline(std::ifstream(folder.parent_path() / "commit"), line);
  return line;
}

// Of `root` and no repository around it; git starts no program that a configuration names to watch
// files.
std::string described_commit(const fs::path& root) {
  return first_line_of({"git", "-c", "core.fsmonitor=false", "-C", root.string(), "describe", "--always",
                        "--dirty", "--abbrev=12"},
                       {{"GIT_CEILING_DIRECTORIES", root.parent_path().string()}});
}

}  // namespace

std::string repository_path(const std::string& place) {
  const fs::path root = repository_root();
  return root.empty() ? "" : (root / place).string();
}

std::string peer_script(const std::string& name) {
  fs::path script = repository_path("bench/peers/" + name);
  if (script.empty()) script = own_folder().parent_path() / "share" / "xformer" / name;
  if (script.is_relative() || !fs::exists(script)) {
    fail(ErrorKind::failure, "there is no {}; start the xformer-bench that was built in the repository",
         script.string());
  }
  return script.string();
}

std::string built_commit() {
  std::string commit = packed_commit();
  const fs::path root = repository_root();
  if (commit.empty() && !root.empty()) commit = described_commit(root);
  return commit.empty() ? "unknown" : commit;
}

}  // namespace xf::bench
