// Where ranks of NCCL's meet, processes or threads: in a file that they share. Each leaves its part
// of a piece there, waits for the others', and adds them up, rank 0's first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dist/nccl/nccl.h"

namespace xf::sim {

struct Meeting;  // what they share

enum class Kind { all_reduce, reduce_scatter, all_gather, reduce, broadcast };
std::string name_of(Kind kind);

struct Operation {
  Kind kind;
  const void* from;
  void* to;
  size_t count;  // of a piece, where there are pieces
  ncclDataType_t type;
  int root = 0;
  // Where it stands.
  size_t done = 0;
  bool arrived = false;
};

// A file for it; "" where there can be none.
std::string new_meeting();

class Communicator {
 public:
  static constexpr int kMostRanks = 8;

  // Returns when all are here.
  Communicator(const std::string& path, int size, int rank);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  bool shares_device() const;
  bool advance(Operation& operation);  // whether it is done
  void abort();                        // what is queued is done, in whatever state
  bool is_deserted() const;            // by one that has aborted
  bool is_captured() const;            // by a graph that is there
  void check_memory(const Operation& operation) const;

  std::vector<std::weak_ptr<Operation>> captured;  // in graphs

 private:
  bool all_have_arrived() const;
  bool all_have_left() const;
  void check_same() const;
  void leave(const Operation& operation, size_t count);
  void take(const Operation& operation, size_t count) const;
  void sum(void* to, size_t offset, size_t count, ncclDataType_t type) const;
  size_t size() const { return static_cast<size_t>(size_); }

  Meeting* meeting_;
  int size_, rank_;
  uint64_t meetings_ = 0;  // that this rank has arrived at
  bool aborted_ = false;
};

}  // namespace xf::sim
