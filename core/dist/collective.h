// The processes of one training, its ranks, as one: sums, copies, and an end that all of them come
// to. Every rank calls the same functions in the same order. With one rank nothing is sent, and
// nothing is done.
//
// A sum is made by the rank that owns its piece, rank 0's number first: the bits depend on the
// number of ranks and on nothing else (of tensors on devices: core/dist/nccl/nccl_link.cpp). Of n
// numbers rank r owns [n r / size, n (r + 1) / size).
//
// A rank that fails alone tells the others, who then throw an Error that names it. One that has
// died, or has not answered for the time limit, is named by those who wait for it. After either
// only finalize() may be called. A rank whose message has another size than is waited for does
// other work: Error failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/dist/device_link.h"
#include "core/dist/link.h"
#include "core/error.h"
#include "core/tensor.h"

namespace xf {

// Of pieces of work in a row, every `of`th one, beginning with `first`.
struct Share {
  int64_t first = 0, of = 1;
  bool has(int64_t i) const { return i % of == first; }
};

class Collective {
 public:
  static Collective& alone();  // one rank

  // Error failure if the ranks do not find each other within `timeout`, in seconds; usage if one is
  // of a program that greets in another way.
  explicit Collective(std::unique_ptr<Link> link, double timeout = kTimeout);
  ~Collective();
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  Share share() const { return {rank_, size_}; }
  std::string name_of(int rank) const;  // "rank 1 (HOST)", without a host before they have met
  const std::string& host_of(int rank) const { return peers_[static_cast<size_t>(rank)].host; }
  // Its number among the ranks of its host.
  int place_on_host() const;

  // How long a rank may keep the others waiting, in seconds.
  static constexpr double kTimeout = 600;
  void set_timeout(double seconds) { timeout_ = seconds; }

  struct Piece {
    int64_t begin = 0, end = 0;
  };
  Piece piece_of(int64_t n, int rank) const { return {n * rank / size_, n * (rank + 1) / size_}; }
  Piece own_piece(int64_t n) const { return piece_of(n, rank_); }

  // T: float, double, int64_t. Afterwards the sum over the ranks, everywhere.
  template <typename T>
  void sum(std::span<T> values);
  // Its halves: the own piece is the sum, the others are as they were; and every piece is its
  // owner's.
  template <typename T>
  void reduce_scatter(std::span<T> values);
  template <typename T>
  void all_gather(std::span<T> values);

  // The same of flat tensors; of bf16 nothing is added. Where they lie on a device the work is
  // queued there, and the devices do it among themselves: every rank must have called
  // init_device().
  void sum(const Tensor& values);
  void reduce_scatter(const Tensor& values);
  void all_gather(const Tensor& values);
  // Every rank on a device of its own; on the CPU nothing. What records a graph of such work must
  // be gone before finalize(). Error usage as of open_nccl().
  void init_device(Device device);

  // Rank 0's, everywhere.
  void broadcast(std::span<std::byte> bytes);
  void broadcast(const Tensor& values);
  std::string broadcast(const std::string& text);
  // Every rank's, everywhere. Error failure for one of more than kMostTextBytes.
  std::vector<std::string> gather(const std::string& text);
  static constexpr int64_t kMostTextBytes = 1 << 30;
  // The same where two of them differ; else nothing. Only checksums are sent to find that out.
  std::vector<std::string> gather_if_different(const std::string& text);

  // Each rank does its part; returns when all have. If one throws an Error or Stopped, all do: the
  // lowest rank's Error, before any Stopped.
  void on_all_ranks(const std::function<void()>& part);
  // Rank 0 does it, the others wait.
  void on_rank0(const std::function<void()>& part);

  // Brings what others tell, a stop among it (core/stop.h): to be called now and then in long work.
  // Throws as the head says.
  void poll();

  // Tells those who wait that this rank is at long work: their time limit begins anew. Sends once a
  // second at most.
  void heartbeat();

  // An Error that no other rank knows of is told to all. Whether this rank is the one to say it:
  // rank 0, or else the lowest that is left; nobody where it has been said.
  bool report_error(const Error& error);
  // Some rank is lost, or has failed alone.
  bool broken() const { return broken_; }
  // The last call, when what is to be said has been said: no rank ends before that, since its
  // launcher would end the others.
  void finalize();

 private:
  struct Peer {
    std::string host;
    int64_t process = 0;
    bool watched = false;  // here, under that number
    bool heard = false;    // waits as we do
    double worked = 0;     // when it last said that it works
  };
  struct Note;
  struct Wait;

  Collective() = default;
  void meet();
  void exchange(const std::function<std::span<const std::byte>(int)>& to,
                const std::function<std::span<std::byte>(int)>& from);
  void wait(std::vector<Wait>& waits);
  void take_back(std::vector<Wait>& waits);
  void look_after(const std::vector<Wait>& waits);
  void look_after_device(double waited);
  void break_off();
  DeviceLink& device_link();
  void part_from_device();
  std::string not_answered() const;
  void take(const Note& note, int from);
  void send_to_all(const Note& note);
  [[noreturn]] void give_up(std::set<int> missing, const std::string& what);
  [[noreturn]] void fail_unequal(int rank);
  template <typename T>
  std::vector<T> of_each(const T& own);
  template <typename T>
  void sum_small(std::span<T> values);

  std::unique_ptr<Link> link_;
  std::unique_ptr<DeviceLink> device_;  // init_device()
  int rank_ = 0, size_ = 1;
  double timeout_ = kTimeout;
  std::vector<Peer> peers_{1};
  std::vector<std::byte> received_;  // of a sum, from the others
  int64_t exchanges_ = 0;            // done
  std::unique_ptr<Note> failure_;    // that another rank has told of
  double said_working_ = 0;          // when it was sent
  double looked_ = 0;                // look_after_device()
  bool broken_ = false;              // see broken()
  bool speaks_ = false;              // in rank 0's place
  bool dismissed_ = false;           // who speaks has spoken
};

}  // namespace xf
