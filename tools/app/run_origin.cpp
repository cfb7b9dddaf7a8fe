#include "tools/app/run_origin.h"
#include "tools/config/training_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "data/unicode.h"
#include "tools/app/run_start.h"
#include "tools/console/shell_word.h"

namespace xf::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kFiles = {"train-sets", "valid-sets",       "test-sets",   "vocabs",
                                                    "cache",      "pretrained-model", "extend-vocab"};

bool exists(const std::string& path) {
  std::error_code none;
  return fs::exists(path, none);
}

// "" where no run above has said it, as those of earlier versions.
std::string origin_of(const std::string& folder) {
  std::error_code none;
  for (fs::path path = fs::weakly_canonical(folder, none); path.has_relative_path();
       path = path.parent_path()) {
    const fs::path file = path / kOriginFile;
    if (!fs::is_regular_file(file, none)) continue;
    std::string origin = read_file(file.string());
    while (origin.ends_with('\n')) origin.pop_back();
    return origin;
  }
  return "";
}

// Relative names stay relative: to the folder that the run goes on in.
void find_there(std::vector<std::string>& words, const std::string& origin) {
  std::vector<std::string> there;
  for (const std::string& word : words) {
    const fs::path path = fs::path(origin) / word;
    std::error_code none;
    if (!fs::exists(path, none)) return;
    there.push_back(fs::path(word).is_absolute() ? word : fs::proximate(path, none).string());
  }
  words = there;
}

}  // namespace

void write_origin(const std::string& run) {
  std::error_code unknown;
  const std::string folder = fs::current_path(unknown).string();
  if (!unknown && !data::first_invalid_utf8(folder))
    atomic_write(run + "/" + kOriginFile, folder + "\n", Existing::replaced);
}

void find_files(GivenOptions& of_run, const std::string& folder) {
  const std::string origin = origin_of(folder);
  if (origin.empty()) return;
  for (GivenOption& option : of_run) {
    if (std::ranges::find(kFiles, option.name) != kFiles.end()) find_there(option.words, origin);
  }
}

void check_texts(const TrainingOptions& options) {
  const std::string& resume = options.saving.resume;
  const std::string& folder = names_checkpoint(resume) ? resume : options.saving.model;
  const std::string origin = origin_of(folder);
  for (const char* const name : {"train-sets", "valid-sets", "test-sets"}) {
    const std::vector<std::string> paths = options_of(options).at(name).words();
    const auto missing = std::ranges::find_if_not(paths, exists);
    if (missing == paths.end()) continue;
    fail(ErrorKind::data, "{}: its text {} is missing{}; give its path: xformer-train {} {} --{} {}", folder,
         *missing, origin.empty() ? "" : ", here and in " + origin,
         names_checkpoint(resume) ? "-m NEW --resume" : "-m", shell_word(folder), name,
         paths.size() == 1 ? "FILE" : "SRC TRG");
  }
}

}  // namespace xf::tools
