#include "kernels/cuda/cublaslt.h"

#include <dlfcn.h>

#include "core/cuda.h"
#include "core/error.h"

namespace xf::kernels {

namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  XF_CHECK(function, "cuda: libcublasLt has no {}; it is of another version", name);
}

CublasLt load() {
  void* const library = cuda::cublaslt_library();
  XF_CHECK(library, "cuda: no {}", cuda::cublaslt_places());
  CublasLt functions;
#define XF_FIND(name) find(library, #name, functions.name);
  XF_CUBLASLT_FUNCTIONS(XF_FIND)
#undef XF_FIND
  return functions;
}

}  // namespace

const CublasLt& cublaslt() {
  static const CublasLt instance = load();
  return instance;
}

}  // namespace xf::kernels
