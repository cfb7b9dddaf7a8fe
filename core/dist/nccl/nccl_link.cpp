// DeviceLink over NCCL. Sums have the same bits again: NCCL takes its algorithm by size and
// topology, not by timing, and adds in an order that this decides; but not in the switches of
// NVLink (NVLS) or InfiniBand (SHARP), which are left out. Which order that is, is NCCL's matter:
// unlike core/dist/collective.cpp's sums they may depend on the machine.
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/cuda.h"
#include "core/dist/collective.h"
#include "core/dist/device_link.h"
#include "core/dist/nccl/library.h"

namespace xf {

namespace {

using nccl::functions;

void check(ncclResult_t result, ncclComm_t communicator, const char* what) {
  if (result == ncclSuccess) return;
  const char* const more = functions().ncclGetLastError(communicator);
  fail(result == ncclInvalidUsage ? ErrorKind::usage : ErrorKind::failure, "NCCL: {}: {}{}{}", what,
       functions().ncclGetErrorString(result), more && *more ? ": " : "", more ? more : "");
}

ncclDataType_t type_of(const Tensor& values) {
  switch (values.dtype()) {
    case DType::f32: return ncclFloat32;
    case DType::f64: return ncclFloat64;
    case DType::bf16: return ncclBfloat16;
    default: fail(ErrorKind::failure, "ranks: a tensor of {} on a device", name_of(values.dtype()));
  }
}

class NcclLink final : public DeviceLink {
 public:
  NcclLink(Collective& ranks, Device device) : ranks_(ranks) {
    // What the user has set stays.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    setenv("NCCL_COLLNET_ENABLE", "0", 0);
    cuda::compute_on(device);
    ncclUniqueId id{};
    ranks.on_rank0([&] { check(functions().ncclGetUniqueId(&id), nullptr, "ncclGetUniqueId"); });
    ranks.broadcast(std::as_writable_bytes(std::span(id.internal)));
    ranks.on_all_ranks([&] {
      check(functions().ncclCommInitRank(&communicator_, ranks.size(), id, ranks.rank()), nullptr,
            "ncclCommInitRank");
    });
  }

  ~NcclLink() override {
    if (communicator_) functions().ncclCommDestroy(communicator_);
  }

  void sum(const Tensor& values) override {
    checked(functions().ncclAllReduce(values.raw(), values.raw(), count(values), type_of(values), ncclSum,
                                      communicator_, cuda::stream()),
            "ncclAllReduce");
  }

  void reduce_scatter(const Tensor& values) override {
    if (values.numel() % ranks_.size() == 0) {
      const Tensor own = piece(values, ranks_.rank());
      return checked(functions().ncclReduceScatter(values.raw(), own.raw(), count(own), type_of(values),
                                                   ncclSum, communicator_, cuda::stream()),
                     "ncclReduceScatter");
    }
    for_each_piece(values, [&](const Tensor& of_rank, int rank) {
      checked(functions().ncclReduce(of_rank.raw(), of_rank.raw(), count(of_rank), type_of(values), ncclSum,
                                     rank, communicator_, cuda::stream()),
              "ncclReduce");
    });
  }

  void all_gather(const Tensor& values) override {
    if (values.numel() % ranks_.size() == 0) {
      const Tensor own = piece(values, ranks_.rank());
      return checked(functions().ncclAllGather(own.raw(), values.raw(), count(own), type_of(values),
                                               communicator_, cuda::stream()),
                     "ncclAllGather");
    }
    for_each_piece(values, [&](const Tensor& of_rank, int rank) {
      checked(functions().ncclBroadcast(of_rank.raw(), of_rank.raw(), count(of_rank), type_of(values), rank,
                                        communicator_, cuda::stream()),
              "ncclBroadcast");
    });
  }

  std::string failure() override {
    ncclResult_t result = ncclSuccess;
    if (!communicator_ || functions().ncclCommGetAsyncError(communicator_, &result) != ncclSuccess) return "";
    return result == ncclSuccess || result == ncclInProgress ? "" : functions().ncclGetErrorString(result);
  }

  // What runs is told to end at once; then the library waits until no graph holds the communicator,
  // and graphs go when the trainer goes.
  void abort() override {
    if (!communicator_) return;
    aborting_ = std::jthread(
        [aborted = std::exchange(communicator_, nullptr)] { functions().ncclCommAbort(aborted); });
  }

 private:
  static size_t count(const Tensor& values) { return static_cast<size_t>(values.numel()); }
  Tensor piece(const Tensor& values, int rank) const {
    const auto [begin, end] = ranks_.piece_of(values.numel(), rank);
    return values.slice_rows(begin, end);
  }

  // Pieces of different sizes: so many calls, of which NCCL makes one.
  template <typename Call>
  void for_each_piece(const Tensor& values, const Call& call) {
    checked(functions().ncclGroupStart(), "ncclGroupStart");
    for (int r = 0; r < ranks_.size(); ++r) call(piece(values, r), r);
    checked(functions().ncclGroupEnd(), "ncclGroupEnd");
  }

  void checked(ncclResult_t result, const char* what) { check(result, communicator_, what); }

  Collective& ranks_;
  ncclComm_t communicator_ = nullptr;
  std::jthread aborting_;
};

}  // namespace

std::unique_ptr<DeviceLink> open_nccl(Collective& ranks, Device device) {
  return std::make_unique<NcclLink>(ranks, device);
}

}  // namespace xf
