// The module that the programs load when a launcher of MPI started them (core/dist/mpi/launch.h):
// Link over MPI's messages from point to point. In which order sums are made is
// core/dist/collective.h's business, not MPI's, so that the same ranks give the same bits.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "core/dist/link.h"

namespace xf {

namespace {

constexpr int kMessages = 0, kNotes = 1;  // tags

int bytes_of(const MPI_Status& receipt) {
  int bytes = 0;
  MPI_Get_count(&receipt, MPI_BYTE, &bytes);
  return bytes;
}

class MpiLink final : public Link {
 public:
  MpiLink() {
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Message send(int to, const void* data, int64_t bytes) override {
    auto request = std::make_unique<Request>();
    request->failed = MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, kMessages, ranks_,
                                &request->request) != MPI_SUCCESS;
    return request.release();
  }

  Message receive(int from, void* data, int64_t bytes) override {
    auto request = std::make_unique<Request>();
    request->to_come = static_cast<int>(bytes);
    request->failed = MPI_Irecv(data, request->to_come, MPI_BYTE, from, kMessages, ranks_,
                                &request->request) != MPI_SUCCESS;
    return request.release();
  }

  Progress progress(Message message) override {
    auto* const request = static_cast<Request*>(message);
    if (request->failed) return Progress::failed;
    int done = 0, error = MPI_SUCCESS;
    MPI_Status status;
    MPI_Error_class(MPI_Test(&request->request, &done, &status), &error);
    if (error == MPI_SUCCESS && done == 0) return Progress::pending;
    if (error != MPI_SUCCESS && error != MPI_ERR_TRUNCATE) return Progress::failed;
    const bool as_expected =
        error == MPI_SUCCESS && (request->to_come < 0 || bytes_of(status) == request->to_come);
    delete request;
    return as_expected ? Progress::done : Progress::other_size;
  }

  void cancel(Message receipt) override {
    auto* const request = static_cast<Request*>(receipt);
    if (!request->failed && request->request != MPI_REQUEST_NULL) MPI_Cancel(&request->request);
  }

  void send_note(int to, const void* note) override {
    forget_sent_notes();
    notes_.push_back(std::make_unique<Note>());
    std::memcpy(notes_.back()->bytes, note, kNoteBytes);
    MPI_Isend(notes_.back()->bytes, kNoteBytes, MPI_BYTE, to, kNotes, ranks_, &notes_.back()->request);
  }

  bool take_note(int& from, void* note) override {
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, kNotes, ranks_, &there, &status) != MPI_SUCCESS || there == 0)
      return false;
    from = status.MPI_SOURCE;
    return MPI_Recv(note, kNoteBytes, MPI_BYTE, from, kNotes, ranks_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }

  void part() override {
    forget_sent_notes();
    MPI_Finalize();
  }

 private:
  void forget_sent_notes() {
    std::erase_if(notes_, [](const auto& note) {
      int done = 0;
      return MPI_Test(&note->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
    });
  }

  struct Request {
    MPI_Request request = MPI_REQUEST_NULL;
    int to_come = -1;  // bytes; -1: it is sent
    bool failed = false;
  };
  struct Note {
    char bytes[kNoteBytes];
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<std::unique_ptr<Note>> notes_;  // on their way
};

}  // namespace

}  // namespace xf

extern "C" __attribute__((visibility("default"))) xf::Link* xformer_open_link() {
  // Open MPI's "put" over TCP asks for each part of a message behind what it sends itself: two that
  // send to each other get half of the link (measured, docs/scaling_cost.md). These are its other
  // defaults; what the user has set stays.
  setenv("OMPI_MCA_btl_tcp_flags", "send,inplace,need-ack,need-csum", 0);
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return nullptr;
  return new xf::MpiLink;
}
