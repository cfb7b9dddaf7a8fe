// What this project uses of NCCL 2, under its names, values and signatures (NVIDIA, "NCCL API"): so
// a build needs nothing of NCCL, and a program only where ranks meet on GPUs.
// tests/sim/compare_with_toolkit.py compares it with the library's own header; tests/sim/nccl.cpp
// is it on the software GPU.
#pragma once

#include <cstddef>

#ifndef XF_NCCL_API
#define XF_NCCL_API extern "C"
#endif

struct CUstream_st;  // cudaStream_t points to one
struct ncclComm;
typedef ncclComm* ncclComm_t;

typedef struct {
  char internal[128];
} ncclUniqueId;

typedef enum {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7
} ncclResult_t;

typedef enum { ncclSum = 0 } ncclRedOp_t;

typedef enum { ncclFloat32 = 7, ncclFloat64 = 8, ncclBfloat16 = 9 } ncclDataType_t;

XF_NCCL_API ncclResult_t ncclGetVersion(int* version);
XF_NCCL_API ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
XF_NCCL_API ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
XF_NCCL_API ncclResult_t ncclCommDestroy(ncclComm_t comm);
XF_NCCL_API ncclResult_t ncclCommAbort(ncclComm_t comm);
XF_NCCL_API ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);
XF_NCCL_API const char* ncclGetErrorString(ncclResult_t result);
XF_NCCL_API const char* ncclGetLastError(ncclComm_t comm);
XF_NCCL_API ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                                       ncclRedOp_t op, ncclComm_t comm, CUstream_st* stream);
XF_NCCL_API ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count_of_one,
                                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                                           CUstream_st* stream);
XF_NCCL_API ncclResult_t ncclAllGather(const void* from, void* to, size_t count_of_one, ncclDataType_t type,
                                       ncclComm_t comm, CUstream_st* stream);
XF_NCCL_API ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                                    ncclRedOp_t op, int root, ncclComm_t comm, CUstream_st* stream);
XF_NCCL_API ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type,
                                       int root, ncclComm_t comm, CUstream_st* stream);
XF_NCCL_API ncclResult_t ncclGroupStart();
XF_NCCL_API ncclResult_t ncclGroupEnd();
