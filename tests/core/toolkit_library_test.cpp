#include "core/toolkit_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

namespace xf {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

// A library of this process that needs nothing but the C library.
std::string some_library() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        if (fs::path(info->dlpi_name).filename().string().starts_with("liblzma."))
          *static_cast<std::string*>(result) = info->dlpi_name;
        return 0;
      },
      &found);
  return found;
}

TEST_CASE("Toolkit library: a relative CUDA_HOME names no folder, whatever lies in the current one",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string toolkit = folder / "toolkit", file = "libxformer_planted.so";
  fs::create_directories(toolkit + "/lib64");
  fs::create_directories(folder / "lib64");
  REQUIRE_FALSE(some_library().empty());
  for (const std::string& place : {toolkit + "/lib64/", folder / "lib64/", folder / ""})
    fs::copy_file(some_library(), place + file);
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    for (const char* const relative : {"toolkit", "./toolkit", ".", ""}) {
      INFO(variable << "=" << relative);
      setenv(variable, relative, 1);
      CHECK(open_toolkit_library(file) == nullptr);
      CHECK_THAT(toolkit_places(file), !Contains("toolkit") && !Contains(", ./") && !Contains(", /lib64"));
    }
    setenv(variable, toolkit.c_str(), 1);
    void* const library = open_toolkit_library(file);
    CHECK(library != nullptr);
    if (library) dlclose(library);
    CHECK_THAT(toolkit_places(file), Contains(toolkit + "/lib64"));
    unsetenv(variable);
  }
  fs::current_path(before);
}

}  // namespace
}  // namespace xf
