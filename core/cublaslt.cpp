#include <fmt/core.h>

#include "core/cuda.h"
#include "core/toolkit_library.h"

namespace xf::cuda {

namespace {

std::string file_name() { return fmt::format("libcublasLt.so.{}", CUDART_VERSION / 1000); }

}  // namespace

void* cublaslt_library() {
  static void* const library = open_toolkit_library(file_name());
  return library;
}

std::string cublaslt_places() { return toolkit_places(file_name()); }

}  // namespace xf::cuda
