// Models for the tests of what other toolkits' files become, and folders in which something is
// otherwise.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/folders.h"
#include "tests/tools/random_run.h"
#include "tools/formats/exchanged_model.h"
#include "tools/formats/hf_marian.h"
#include "tools/formats/loaded_model.h"

namespace xf::tests {

inline tools::exchange::ExchangedModel random_model(const std::string& more = "") {
  const RandomRun run(more);
  const tools::ModelFiles files = tools::read_model_files(run.path(), DType::f32);
  return {.config = files.model->model->config(),
          .tensors = files.checkpoint.model,
          .vocabularies = files.model->vocabularies,
          .where = "a test"};
}

inline std::string fixture(const std::string& name) {
  return source_folder() + "/tests/fixtures/marian/" + name;
}

// A copy of a folder, in which files say something else.
class Changed {
 public:
  explicit Changed(const std::string& folder) {
    std::filesystem::copy(folder, folder_ / "", std::filesystem::copy_options::recursive);
  }
  void change(const std::string& file, const std::string& is, const std::string& becomes) {
    std::string text = read_file(folder_ / file);
    if (text.find(is) == std::string::npos) throw std::logic_error(file + " has no " + is);
    folder_.write(file, text.replace(text.find(is), is.size(), becomes));
  }
  void write(const std::string& file, const std::string& bytes) { folder_.write(file, bytes); }
  std::string path() const { return folder_ / ""; }
  std::string hf_error() const {
    return error_of([&] { tools::exchange::read_hf_marian(path()); });
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace xf::tests
