// NCCL's library by its functions, which is not linked.
#pragma once

#include "core/dist/nccl/nccl.h"

namespace xf::nccl {

#define XF_NCCL_FUNCTIONS(X) \
  X(ncclGetVersion)          \
  X(ncclGetUniqueId)         \
  X(ncclCommInitRank)        \
  X(ncclCommDestroy)         \
  X(ncclCommAbort)           \
  X(ncclCommGetAsyncError)   \
  X(ncclGetErrorString)      \
  X(ncclGetLastError)        \
  X(ncclAllReduce)           \
  X(ncclReduceScatter)       \
  X(ncclAllGather)           \
  X(ncclReduce)              \
  X(ncclBroadcast)           \
  X(ncclGroupStart)          \
  X(ncclGroupEnd)

struct Functions {
#define XF_FUNCTION(name) decltype(&::name) name = nullptr;
  XF_NCCL_FUNCTIONS(XF_FUNCTION)
#undef XF_FUNCTION
};

// Of the library, which is loaded when first asked for. Error usage, with the places looked into,
// where it is not installed.
const Functions& functions();

}  // namespace xf::nccl
