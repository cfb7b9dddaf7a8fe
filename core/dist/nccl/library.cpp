#include "core/dist/nccl/library.h"

#include <dlfcn.h>

#include "core/error.h"
#include "core/toolkit_library.h"

namespace xf::nccl {

namespace {

constexpr const char* kLibrary = "libnccl.so.2";
constexpr int kOldest = 21300;  // 2.13: ncclGetLastError

void* open_library() {
  if (void* const library = open_toolkit_library(kLibrary)) return library;
  fail(ErrorKind::usage,
       "ranks on GPUs need NCCL, and {} is missing; install it (NVIDIA's libnccl2, or PyPI's "
       "nvidia-nccl-cu13), or give --device cpu",
       toolkit_places(kLibrary));
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) fail(ErrorKind::usage, "{} has no {}: it is of another version", kLibrary, name);
}

Functions load() {
  void* const library = open_library();
  Functions found;
  find(library, "ncclGetVersion", found.ncclGetVersion);
  int version = 0;
  found.ncclGetVersion(&version);
  if (version < kOldest)
    fail(ErrorKind::usage, "{} is of version code {}, older than {}; install a newer one", kLibrary, version,
         kOldest);
#define XF_FIND(name) find(library, #name, found.name);
  XF_NCCL_FUNCTIONS(XF_FIND)
#undef XF_FIND
  return found;
}

}  // namespace

const Functions& functions() {
  static const Functions instance = load();
  return instance;
}

}  // namespace xf::nccl
