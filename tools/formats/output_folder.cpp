#include "tools/formats/output_folder.h"

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "core/guarded_open.h"
#include "data/vocabularies.h"
#include "tools/console/output_file.h"

namespace xf::tools {

namespace fs = std::filesystem;

std::string model_output(const std::string& output, bool overwrite) {
  return output_folder(output, overwrite, nn::is_checkpoint_alone);
}

std::string output_folder(const std::string& output, bool overwrite,
                          const std::function<bool(const std::string& folder)>& replaceable) {
  fs::path path = output;
  if (!path.has_filename()) path = path.parent_path();
  std::error_code none;  // what cannot be looked at cannot be written, and is told then
  refuse_planted(path.string());
  // What a link leads to is replaced, not the link.
  if (fs::is_symlink(path, none)) {
    if (!fs::is_directory(path, none))
      fail(ErrorKind::usage, "{} is a link that leads to no folder; remove it or give another name",
           path.string());
    path = fs::canonical(path, none);
  }
  const std::string folder = path.string();
  refuse_existing(folder, overwrite);
  if (fs::exists(folder, none) && !replaceable(folder))
    fail(ErrorKind::usage, "{} is more than a model, and --overwrite would remove it all; give another name",
         folder);
  for (const char* const ending : {".tmp", ".old.tmp"}) {
    if (fs::exists(folder + ending, none))
      fail(ErrorKind::usage,
           "{0}{1} is in the way: {0} is written there first; remove it or give another name", folder,
           ending);
  }
  return folder;
}

void write_model(const std::string& folder, nn::Checkpoint model, const std::string& vocabularies) {
  if (!vocabularies.empty()) {
    for (const std::string& file : data::vocabulary_files(vocabularies))
      model.companions[fs::path(file).filename().string()] = read_regular_file(file);
  }
  refuse_input_as_output(folder + "/model.safetensors");
  nn::write_checkpoint(folder, model);
}

}  // namespace xf::tools
