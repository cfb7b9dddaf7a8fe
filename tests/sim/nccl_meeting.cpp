#include "tests/sim/nccl_meeting.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "tests/sim/memory.h"
#include "tests/sim/observer.h"
#include "tests/sim/stream.h"

namespace xf::sim {

namespace {

constexpr size_t kAtOnce = 4096;  // elements of a piece that a rank leaves
constexpr size_t kSlot = kAtOnce * Communicator::kMostRanks * sizeof(double);

size_t size_of(ncclDataType_t type) { return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4 : 2; }

template <typename T>
void add(T* to, const T* other, size_t count) {
  for (size_t i = 0; i < count; ++i) to[i] += other[i];
}

}  // namespace

struct Meeting {
  struct Rank {
    std::atomic<uint64_t> arrived, left;  // meetings
    std::atomic<int> device;              // from 1
    char asked[120];                      // of the one that it has arrived at
    alignas(64) std::byte slot[kSlot];
  };
  std::atomic<int> attached, aborted;
  Rank ranks[Communicator::kMostRanks];
};

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "ncclAllReduce";
    case Kind::reduce_scatter: return "ncclReduceScatter";
    case Kind::all_gather: return "ncclAllGather";
    case Kind::reduce: return "ncclReduce";
    default: return "ncclBroadcast";
  }
}

std::string new_meeting() {
  std::string path = std::filesystem::temp_directory_path() / "xformer-sim-nccl-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return "";
  const bool made = ftruncate(file, sizeof(Meeting)) == 0;
  close(file);
  return made ? path : "";
}

Communicator::Communicator(const std::string& path, int size, int rank) : size_(size), rank_(rank) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* const memory =
      file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) fail(ErrorKind::failure, "sim: NCCL: no meeting at {}", path);
  meeting_ = static_cast<Meeting*>(memory);
  meeting_->ranks[rank_].device = current_device() + 1;
  ++meeting_->attached;
  while (meeting_->attached < size) usleep(50);
  if (rank == 0) unlink(path.c_str());
}

Communicator::~Communicator() { munmap(meeting_, sizeof(Meeting)); }

bool Communicator::shares_device() const {
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && meeting_->ranks[r].device == meeting_->ranks[rank_].device) return true;
  return false;
}

void Communicator::abort() { meeting_->aborted = 1, aborted_ = true; }

bool Communicator::is_deserted() const { return meeting_->aborted != 0 && !aborted_; }

bool Communicator::is_captured() const {
  return std::ranges::any_of(captured, [](const auto& operation) { return !operation.expired(); });
}

bool Communicator::all_have_arrived() const {
  return std::all_of(meeting_->ranks, meeting_->ranks + size_,
                     [this](const Meeting::Rank& rank) { return rank.arrived >= meetings_; });
}

bool Communicator::all_have_left() const {
  return std::all_of(meeting_->ranks, meeting_->ranks + size_,
                     [this](const Meeting::Rank& rank) { return rank.left >= meetings_; });
}

void Communicator::check_memory(const Operation& operation) const {
  const size_t bytes = operation.count * size_of(operation.type);
  const size_t sent = operation.kind == Kind::reduce_scatter ? size() : 1,
               received = operation.kind == Kind::all_gather ? size() : 1;
  if (!memory::is_device(operation.from, sent * bytes) || !memory::is_device(operation.to, received * bytes))
    fail(ErrorKind::failure, "sim: {}: not inside one live allocation of the device",
         name_of(operation.kind));
}

// Into the own slot.
void Communicator::leave(const Operation& operation, size_t count) {
  const size_t element = size_of(operation.type);
  const auto* const from = static_cast<const std::byte*>(operation.from);
  const size_t pieces = operation.kind == Kind::reduce_scatter ? size() : 1;
  Meeting::Rank& own = meeting_->ranks[rank_];
  for (size_t p = 0; p < pieces; ++p) {
    const std::byte* const begin = from + (p * operation.count + operation.done) * element;
    observe(begin, count * element, Access::read, {});
    std::memcpy(own.slot + p * count * element, begin, count * element);
  }
  const std::string asked = fmt::format("{} of {} elements of {} bytes, root {}", name_of(operation.kind),
                                        operation.count, element, operation.root);
  std::strncpy(own.asked, asked.c_str(), sizeof own.asked - 1);
}

void Communicator::sum(void* to, size_t offset, size_t count, ncclDataType_t type) const {
  const size_t bytes = count * size_of(type);
  std::vector<std::byte> total(meeting_->ranks[0].slot + offset, meeting_->ranks[0].slot + offset + bytes);
  for (int r = 1; r < size_; ++r) {
    const std::byte* const other = meeting_->ranks[r].slot + offset;
    if (type == ncclFloat64) {
      add(reinterpret_cast<double*>(total.data()), reinterpret_cast<const double*>(other), count);
    } else {
      add(reinterpret_cast<float*>(total.data()), reinterpret_cast<const float*>(other), count);
    }
  }
  std::memcpy(to, total.data(), bytes);
}

// From the slots.
void Communicator::take(const Operation& operation, size_t count) const {
  const size_t element = size_of(operation.type), bytes = count * element;
  auto* const to = static_cast<std::byte*>(operation.to);
  const auto written = [&](size_t element_of_result) {
    std::byte* const place = to + element_of_result * element;
    observe(place, bytes, Access::write, {});
    return place;
  };
  switch (operation.kind) {
    case Kind::all_reduce: return sum(written(operation.done), 0, count, operation.type);
    case Kind::reduce_scatter:
      return sum(written(operation.done), static_cast<size_t>(rank_) * bytes, count, operation.type);
    case Kind::all_gather:
      for (size_t r = 0; r < size(); ++r)
        std::memcpy(written(r * operation.count + operation.done), meeting_->ranks[r].slot, bytes);
      return;
    case Kind::reduce:
      if (operation.root == rank_) sum(written(operation.done), 0, count, operation.type);
      return;
    case Kind::broadcast: std::memcpy(written(operation.done), meeting_->ranks[operation.root].slot, bytes);
  }
}

void Communicator::check_same() const {
  const char* const own = meeting_->ranks[rank_].asked;
  for (int r = 0; r < size_; ++r) {
    const char* const asked = meeting_->ranks[r].asked;
    if (std::strcmp(asked, own) != 0)
      fail(ErrorKind::failure, "sim: NCCL: rank {} asks for {}, and rank {} for {}", r, asked, rank_, own);
  }
}

bool Communicator::advance(Operation& operation) {
  while (!aborted_) {
    const size_t count = std::min(kAtOnce, operation.count - operation.done);
    if (!operation.arrived) {
      if (!all_have_left()) return false;
      leave(operation, count);
      meeting_->ranks[rank_].arrived = ++meetings_;
      operation.arrived = true;
    }
    if (!all_have_arrived()) return false;
    check_same();
    take(operation, count);
    operation.arrived = false;
    operation.done += count;
    meeting_->ranks[rank_].left = meetings_;
    if (operation.done == operation.count) break;
  }
  operation.done = 0;  // for a replay
  return true;
}

}  // namespace xf::sim
