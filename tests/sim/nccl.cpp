// NCCL's functions. Stricter than the library: all ranks must ask for the same, and for device
// memory. A rank that never comes keeps the streams of the others waiting, until they abort.
#include <cstring>
#include <mutex>
#include <utility>

#include "core/dist/nccl/library.h"
#include "core/error.h"
#include "tests/sim/nccl_meeting.h"
#include "tests/sim/stream.h"

using namespace xf::sim;

struct ncclComm {
  std::shared_ptr<Communicator> communicator;
};

namespace {

// The group that this thread has open.
struct Group {
  int depth = 0;
  std::vector<std::pair<CUstream_st*, std::pair<What, Work>>> work;
};
thread_local Group group;

ncclResult_t queue(const Operation& asked, ncclComm_t comm, CUstream_st* stream) {
  if (!comm) return ncclInvalidArgument;
  if (asked.count == 0) return ncclSuccess;
  const std::lock_guard lock(machine_lock());
  comm->communicator->check_memory(asked);
  const auto operation = std::make_shared<Operation>(asked);
  if (stream_of(stream).capture) comm->communicator->captured.push_back(operation);
  const What what{cudaGraphNodeTypeKernel, address_of_name(name_of(asked.kind))};
  const Work work = [operation, communicator = comm->communicator] {
    if (!communicator->advance(*operation)) throw Unfinished();
  };
  if (group.depth > 0) {
    group.work.push_back({stream, {what, work}});
  } else {
    push(stream, what, work);
  }
  return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::string path = new_meeting();
  if (path.empty() || path.size() >= sizeof id->internal) return ncclSystemError;
  std::strcpy(id->internal, path.c_str());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  if (rank < 0 || rank >= ranks || ranks > Communicator::kMostRanks) return ncclInvalidArgument;
  const auto communicator = std::make_shared<Communicator>(id.internal, ranks, rank);
  if (communicator->shares_device()) return ncclInvalidUsage;
  *comm = new ncclComm{communicator};
  return ncclSuccess;
}

// The library would wait until the graphs are gone, here too.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  finish(run_all_streams);
  if (comm->communicator->is_captured())
    xf::fail(xf::ErrorKind::failure, "sim: ncclCommDestroy: a graph holds the communicator");
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  {
    const std::lock_guard lock(machine_lock());
    comm->communicator->abort();
  }
  finish([comm] { return !comm->communicator->is_captured(); });
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  *error = comm->communicator->is_deserted() ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclInvalidUsage: return "invalid usage (of the software GPU: two ranks have the same device)";
    case ncclRemoteError: return "remote process exited or there was a network error";
    default: return "an error of the software GPU's NCCL";
  }
}

const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t,
                           ncclComm_t comm, CUstream_st* stream) {
  return queue({.kind = Kind::all_reduce, .from = from, .to = to, .count = count, .type = type}, comm,
               stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count_of_one, ncclDataType_t type,
                               ncclRedOp_t, ncclComm_t comm, CUstream_st* stream) {
  return queue({.kind = Kind::reduce_scatter, .from = from, .to = to, .count = count_of_one, .type = type},
               comm, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count_of_one, ncclDataType_t type,
                           ncclComm_t comm, CUstream_st* stream) {
  return queue({.kind = Kind::all_gather, .from = from, .to = to, .count = count_of_one, .type = type}, comm,
               stream);
}

ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t, int root,
                        ncclComm_t comm, CUstream_st* stream) {
  return queue({.kind = Kind::reduce, .from = from, .to = to, .count = count, .type = type, .root = root},
               comm, stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, CUstream_st* stream) {
  return queue({.kind = Kind::broadcast, .from = from, .to = to, .count = count, .type = type, .root = root},
               comm, stream);
}

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  for (auto& [stream, work] : std::exchange(group.work, {})) push(stream, work.first, work.second);
  return ncclSuccess;
}

}  // extern "C"

// In place of core/dist/nccl/library.cpp, which loads a library.
const xf::nccl::Functions& xf::nccl::functions() {
#define XF_FUNCTION(name) &::name,
  static constexpr Functions kFunctions{XF_NCCL_FUNCTIONS(XF_FUNCTION)};
#undef XF_FUNCTION
  return kFunctions;
}
