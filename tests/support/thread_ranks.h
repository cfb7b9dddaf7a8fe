// Ranks that are threads of one process: what is made of messages (core/dist/collective.h) without
// a launcher.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/dist/collective.h"

namespace xf::tests {

class Mailboxes {
 public:
  explicit Mailboxes(int size)
      : size_(size), messages_(static_cast<size_t>(size * size)), notes_(static_cast<size_t>(size)) {}
  int size() const { return size_; }

 private:
  friend class ThreadLink;
  using Bytes = std::vector<std::byte>;
  struct Note {
    int from;
    Bytes bytes;
  };
  std::deque<Bytes>& messages(int from, int to) { return messages_[static_cast<size_t>(from * size_ + to)]; }

  int size_;
  std::mutex mutex_;
  std::vector<std::deque<Bytes>> messages_;  // all there ever were
  std::vector<std::deque<Note>> notes_;
};

class ThreadLink final : public Link {
 public:
  ThreadLink(Mailboxes& boxes, int rank)
      : boxes_(boxes), rank_(rank), received_(static_cast<size_t>(boxes.size())) {}
  int rank() const override { return rank_; }
  int size() const override { return boxes_.size(); }

  Message send(int to, const void* data, int64_t bytes) override {
    const std::scoped_lock lock(boxes_.mutex_);
    const auto* const from = static_cast<const std::byte*>(data);
    boxes_.messages(rank_, to).emplace_back(from, from + bytes);
    return nullptr;
  }

  Message receive(int from, void* data, int64_t bytes) override {
    receipts_.push_back({from, received_[static_cast<size_t>(from)]++, data, bytes, Progress::pending});
    return &receipts_.back();
  }

  Progress progress(Message message) override {
    if (!message) return Progress::done;
    const std::scoped_lock lock(boxes_.mutex_);
    return moved(*static_cast<Receipt*>(message));
  }

  void cancel(Message receipt) override { static_cast<Receipt*>(receipt)->progress = Progress::done; }

  void send_note(int to, const void* note) override {
    const std::scoped_lock lock(boxes_.mutex_);
    const auto* const from = static_cast<const std::byte*>(note);
    boxes_.notes_[static_cast<size_t>(to)].push_back({rank_, {from, from + kNoteBytes}});
  }

  // Moves on what is under way, too, as MPI does in any call.
  bool take_note(int& from, void* note) override {
    const std::scoped_lock lock(boxes_.mutex_);
    for (Receipt& receipt : receipts_) moved(receipt);
    auto& notes = boxes_.notes_[static_cast<size_t>(rank_)];
    if (notes.empty()) return false;
    from = notes.front().from;
    std::memcpy(note, notes.front().bytes.data(), kNoteBytes);
    notes.pop_front();
    return true;
  }

  void part() override {}

 private:
  struct Receipt {
    int from;
    size_t number;  // of the messages from there
    void* data;
    int64_t bytes;
    Progress progress;
  };

  Progress moved(Receipt& receipt) {
    const auto& messages = boxes_.messages(receipt.from, rank_);
    if (receipt.progress != Progress::pending || messages.size() <= receipt.number) return receipt.progress;
    const Mailboxes::Bytes& bytes = messages[receipt.number];
    if (static_cast<int64_t>(bytes.size()) != receipt.bytes) return receipt.progress = Progress::other_size;
    std::memcpy(receipt.data, bytes.data(), bytes.size());
    return receipt.progress = Progress::done;
  }

  Mailboxes& boxes_;
  int rank_;
  std::vector<size_t> received_;
  std::deque<Receipt> receipts_;
};

// body(ranks) as each of them; returns when all have. What one throws ends the test.
inline void as_ranks(int size, const std::function<void(Collective&)>& body, double timeout = 20) {
  Mailboxes boxes(size);
  std::vector<std::jthread> threads;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&boxes, &body, r, timeout] {
      Collective ranks(std::make_unique<ThreadLink>(boxes, r), timeout);
      body(ranks);
    });
  }
}

}  // namespace xf::tests
