// The CUDA runtime's host functions, as far as the project uses them, under the toolkit's names,
// values and signatures. Written for the software GPU (docs/software_gpu.md), which defines them
// and needs no toolkit; tests/sim/compare_with_toolkit.py compares every declaration with the
// toolkit where there is one.
#pragma once

#include <cstddef>

#include "vector_types.h"

#ifndef XF_SIM_API
#define XF_SIM_API extern "C"
#endif

#define CUDART_VERSION 13000

struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
typedef CUstream_st* cudaStream_t;
typedef CUevent_st* cudaEvent_t;
typedef CUgraph_st* cudaGraph_t;
typedef CUgraphExec_st* cudaGraphExec_t;
typedef CUgraphNode_st* cudaGraphNode_t;
typedef void (*cudaHostFn_t)(void* userData);

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidPitchValue = 12,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
  cudaErrorSystemNotReady = 802,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorCapturedEvent = 907
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};

enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3
};

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};

// Members in another order and fewer than the toolkit's: code that reads them by name cannot tell.
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  size_t sharedMemPerBlockOptin;
  int warpSize;
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int memoryBusWidth;
};

#define cudaHostAllocDefault 0x00
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventDisableTiming 0x02

XF_SIM_API cudaError_t cudaGetLastError();
XF_SIM_API cudaError_t cudaPeekAtLastError();
XF_SIM_API const char* cudaGetErrorName(cudaError_t error);
XF_SIM_API const char* cudaGetErrorString(cudaError_t error);

XF_SIM_API cudaError_t cudaGetDeviceCount(int* count);
XF_SIM_API cudaError_t cudaSetDevice(int device);
XF_SIM_API cudaError_t cudaGetDevice(int* device);
XF_SIM_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
XF_SIM_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
XF_SIM_API cudaError_t cudaDriverGetVersion(int* version);
XF_SIM_API cudaError_t cudaRuntimeGetVersion(int* version);
XF_SIM_API cudaError_t cudaDeviceSynchronize();
XF_SIM_API cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
XF_SIM_API cudaError_t cudaFuncGetName(const char** name, const void* kernel);

XF_SIM_API cudaError_t cudaMalloc(void** data, size_t bytes);
XF_SIM_API cudaError_t cudaFree(void* data);
XF_SIM_API cudaError_t cudaMallocHost(void** data, size_t bytes);
XF_SIM_API cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned int flags);
XF_SIM_API cudaError_t cudaFreeHost(void* data);
XF_SIM_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
XF_SIM_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
XF_SIM_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                       cudaStream_t stream = nullptr);
XF_SIM_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                         size_t width, size_t height, cudaMemcpyKind kind,
                                         cudaStream_t stream = nullptr);
XF_SIM_API cudaError_t cudaMemset(void* data, int value, size_t bytes);
XF_SIM_API cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream = nullptr);

XF_SIM_API cudaError_t cudaStreamCreate(cudaStream_t* stream);
XF_SIM_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
XF_SIM_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
XF_SIM_API cudaError_t cudaStreamQuery(cudaStream_t stream);
XF_SIM_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
XF_SIM_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
XF_SIM_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

XF_SIM_API cudaError_t cudaEventCreate(cudaEvent_t* event);
XF_SIM_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
XF_SIM_API cudaError_t cudaEventDestroy(cudaEvent_t event);
XF_SIM_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
XF_SIM_API cudaError_t cudaEventQuery(cudaEvent_t event);
XF_SIM_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
XF_SIM_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

XF_SIM_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
XF_SIM_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
XF_SIM_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
XF_SIM_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                            unsigned long long flags = 0);
XF_SIM_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
XF_SIM_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
XF_SIM_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters);
XF_SIM_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
XF_SIM_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
XF_SIM_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

#ifndef XF_SIM_COMPARE
// Waits know where they stand in the source, so that a mutation run can leave each of them out.
#include "tests/sim/wait_site.h"
#endif
