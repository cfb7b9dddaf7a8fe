#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "core/cuda.h"
#include "core/error.h"

namespace xf::cuda {

namespace {

std::string file_name() { return fmt::format("libcublasLt.so.{}", CUDART_VERSION / 1000); }

// Where a toolkit keeps its libraries without telling the system.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* const root = std::getenv(variable)) folders.push_back(std::string(root) + "/lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  return folders;
}

void* load() {
  if (void* const library = dlopen(file_name().c_str(), RTLD_NOW)) return library;
  for (const std::string& folder : toolkit_folders()) {
    if (void* const library = dlopen((folder + "/" + file_name()).c_str(), RTLD_NOW)) return library;
  }
  return nullptr;
}

}  // namespace

void* cublaslt_library() {
  static void* const library = load();
  return library;
}

std::string cublaslt_places() {
  return fmt::format("{} among the system's libraries, in LD_LIBRARY_PATH, nor in {}", file_name(),
                     fmt::join(toolkit_folders(), ", "));
}

}  // namespace xf::cuda
