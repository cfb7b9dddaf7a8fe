#include "core/toolkit_library.h"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <vector>

namespace xf {

namespace {

// Where a toolkit keeps its libraries without telling the system.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> roots;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    if (root && *root == '/')
      roots.emplace_back(root);  // nothing that depends on the current
                                 // folder
  }
  roots.emplace_back("/usr/local/cuda");
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    for (const char* const libraries : {"/lib64", "/lib"}) folders.push_back(root + libraries);
  }
  return folders;
}

}  // namespace

void* open_toolkit_library(const std::string& file) {
  if (void* const library = dlopen(file.c_str(), RTLD_NOW)) return library;
  for (const std::string& folder : toolkit_folders()) {
    if (void* const library = dlopen((folder + "/" + file).c_str(), RTLD_NOW)) return library;
  }
  return nullptr;
}

std::string toolkit_places(const std::string& file) {
  return fmt::format("{} among the system's libraries, in LD_LIBRARY_PATH, nor in {}", file,
                     fmt::join(toolkit_folders(), ", "));
}

}  // namespace xf
