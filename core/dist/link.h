// Messages between the processes of one training, its ranks: what a Collective
// (core/dist/collective.h) is made of. Behind it is MPI (core/dist/mpi/mpi_link.cpp), in a module
// that is loaded when it is needed: so this header needs nothing of the project.
#pragma once

#include <cstdint>

namespace xf {

// Used from one thread.
class Link {
 public:
  virtual ~Link() = default;
  virtual int rank() const = 0;  // 0..size-1
  virtual int size() const = 0;

  // Begins to send, or to receive, a message of so many bytes, whose memory stays as it is until it
  // is done. Messages from one rank to another come in the order in which they were begun.
  using Message = void*;
  virtual Message send(int to, const void* data, int64_t bytes) = 0;
  virtual Message receive(int from, void* data, int64_t bytes) = 0;

  // Moves on what is under way, and says how far this one is. To be asked until it is not pending.
  // other_size: what has come is not of the size that was to be received.
  enum class Progress { pending, done, failed, other_size };
  virtual Progress progress(Message message) = 0;

  // Of a message to receive: if it has not begun to come, it never comes. progress() says when
  // nothing is written any more.
  virtual void cancel(Message receipt) = 0;

  // A note overtakes messages, and is received by who looks. At most kNoteBytes; copied.
  static constexpr int64_t kNoteBytes = 1024;
  virtual void send_note(int to, const void* note) = 0;
  // Whether there is one: its sender and its kNoteBytes.
  virtual bool take_note(int& from, void* note) = 0;

  // All ranks part, with nothing under way. Without it the launcher calls their end a failure.
  virtual void part() = 0;
};

// What the module exports as xformer_open_link; null where the processes find no common ground.
using OpenLink = Link* (*)();

}  // namespace xf
