#include "core/dist/collective.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "core/checksum.h"
#include "core/dist/collective_parts.h"
#include "core/parallel.h"

namespace xf {

namespace {

constexpr int64_t kReceivedBytes = 32 << 20;  // of a sum: from all others together
constexpr int64_t kLeastBlock = 64 << 10;     // bytes of a message, where there are more
constexpr int64_t kSmallBytes = 4096;         // what is sent to everybody rather than in pieces

// The first that a rank says. It has this form in every version of the program that greets so.
struct Greeting {
  char protocol[16] = "xformer ranks 1";
  int64_t process = 0;
  char host[232] = {};
};
static_assert(sizeof(Greeting) == 256);

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Collective& Collective::alone() {
  static Collective one;
  return one;
}

Collective::Collective(std::unique_ptr<Link> link, double timeout)
    : link_(std::move(link)), rank_(link_->rank()), size_(link_->size()), timeout_(timeout) {
  static_assert(sizeof(Note) == Link::kNoteBytes);
  peers_.resize(static_cast<size_t>(size_));
  meet();
}

Collective::~Collective() { part_from_device(); }

// Who is where. A rank of this host that dies is missed at once, others when the time limit has
// passed.
void Collective::meet() {
  Greeting own{.process = getpid()};
  const std::string host = host_name();
  host.copy(own.host, sizeof own.host - 1);
  const std::vector<Greeting> greetings = of_each(own);
  for (int r = 0; r < size_; ++r) {
    const Greeting& greeting = greetings[static_cast<size_t>(r)];
    if (std::memcmp(greeting.protocol, own.protocol, sizeof own.protocol) != 0)
      fail(ErrorKind::usage, "{} runs another program or version; start the same program on all ranks",
           name_of(r));
    Peer& peer = peers_[static_cast<size_t>(r)];
    peer.host.assign(greeting.host, strnlen(greeting.host, sizeof greeting.host));
    peer.process = greeting.process;
    peer.watched = peer.host == host && peer.process != getpid() && runs_here(peer.process);
  }
}

std::string Collective::name_of(int rank) const {
  const std::string& host = host_of(rank);
  return host.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} ({})", rank, host);
}

int Collective::place_on_host() const {
  const auto same = [this](const Peer& peer) { return peer.host == host_of(rank_); };
  return static_cast<int>(std::count_if(peers_.begin(), peers_.begin() + rank_, same));
}

// ---- one exchange: a message to each other rank and one from each, all at once

void Collective::exchange(const std::function<std::span<const std::byte>(int)>& to,
                          const std::function<std::span<std::byte>(int)>& from) {
  XF_CHECK(!broken_, "collective: a rank is lost");
  std::vector<Wait> waits;
  for (int step = 1; step < size_; ++step) {  // not all to the same one first
    const int sender = (rank_ + size_ - step) % size_;
    const auto place = from(sender);
    if (!place.empty())
      waits.push_back(
          {link_->receive(sender, place.data(), static_cast<int64_t>(place.size())), sender, true});
  }
  for (int step = 1; step < size_; ++step) {
    const int receiver = (rank_ + step) % size_;
    const auto bytes = to(receiver);
    if (!bytes.empty())
      waits.push_back({link_->send(receiver, bytes.data(), static_cast<int64_t>(bytes.size())), receiver});
  }
  try {
    wait(waits);
  } catch (...) {
    take_back(waits);
    throw;
  }
  ++exchanges_;
}

// A record of each rank.
template <typename T>
std::vector<T> Collective::of_each(const T& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<size_t>(size_));
  all[static_cast<size_t>(rank_)] = own;
  exchange([&](int) { return std::as_bytes(std::span(&own, 1)); },
           [&](int r) { return std::as_writable_bytes(std::span(all).subspan(static_cast<size_t>(r), 1)); });
  return all;
}

// ---- sums and copies

template <typename T>
void Collective::sum_small(std::span<T> values) {
  std::vector<T> all(values.size() * static_cast<size_t>(size_));
  const auto part = [&](int r) {
    return std::span(all).subspan(values.size() * static_cast<size_t>(r), values.size());
  };
  std::ranges::copy(values, part(rank_).begin());
  exchange([&](int) { return std::as_bytes(std::span<const T>(part(rank_))); },
           [&](int r) { return std::as_writable_bytes(part(r)); });
  std::ranges::copy(part(0), values.begin());
  for (int r = 1; r < size_; ++r)
    for (size_t i = 0; i < values.size(); ++i) values[i] += part(r)[i];
}

template <typename T>
void Collective::sum(std::span<T> values) {
  if (size_ == 1) return;
  if (static_cast<int64_t>(values.size_bytes()) <= kSmallBytes) return sum_small(values);
  reduce_scatter(values);
  all_gather(values);
}

namespace {

// Block number b of a piece: T's at [begin, end).
template <typename T>
std::span<T> block_of(std::span<T> values, Collective::Piece piece, int64_t block, int64_t b) {
  const int64_t begin = std::min(piece.begin + b * block, piece.end),
                end = std::min(begin + block, piece.end);
  return values.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

// Elements of a block, so that one from each other rank is at most kReceivedBytes.
template <typename T>
int64_t block_size(int ranks) {
  return std::max(kReceivedBytes / ranks, kLeastBlock) / static_cast<int64_t>(sizeof(T));
}

int64_t block_count(int64_t n, int ranks, int64_t block) { return (n / ranks + 1 + block - 1) / block; }

}  // namespace

template <typename T>
void Collective::reduce_scatter(std::span<T> values) {
  if (size_ == 1) return;
  const auto n = static_cast<int64_t>(values.size());
  const int64_t block = block_size<T>(size_);
  received_.resize(static_cast<size_t>(size_ * block) * sizeof(T));
  const std::span<T> received(reinterpret_cast<T*>(received_.data()), static_cast<size_t>(size_ * block));
  for (int64_t b = 0; b < block_count(n, size_, block); ++b) {
    const std::span<T> own = block_of(values, own_piece(n), block, b);
    const auto from = [&](int r) { return received.subspan(static_cast<size_t>(r * block), own.size()); };
    exchange(
        [&](int r) { return std::as_bytes(std::span<const T>(block_of(values, piece_of(n, r), block, b))); },
        [&](int r) { return std::as_writable_bytes(from(r)); });
    std::ranges::copy(own, from(rank_).begin());
    parallel_for(static_cast<int64_t>(own.size()), 1 << 14, [&](int64_t begin, int64_t end) {
      const auto count = static_cast<size_t>(end - begin);
      T* const total = own.data() + begin;
      std::copy_n(from(0).data() + begin, count, total);
      for (int r = 1; r < size_; ++r) {
        const T* const other = from(r).data() + begin;
        for (size_t i = 0; i < count; ++i) total[i] += other[i];
      }
    });
  }
}

template <typename T>
void Collective::all_gather(std::span<T> values) {
  if (size_ == 1) return;
  const auto n = static_cast<int64_t>(values.size());
  const int64_t block = block_size<T>(size_);
  for (int64_t b = 0; b < block_count(n, size_, block); ++b) {
    exchange([&](int) { return std::as_bytes(std::span<const T>(block_of(values, own_piece(n), block, b))); },
             [&](int r) { return std::as_writable_bytes(block_of(values, piece_of(n, r), block, b)); });
  }
}

template void Collective::sum(std::span<float>);
template void Collective::sum(std::span<double>);
template void Collective::sum(std::span<int64_t>);
template void Collective::reduce_scatter(std::span<float>);
template void Collective::reduce_scatter(std::span<double>);
template void Collective::reduce_scatter(std::span<int64_t>);
template void Collective::all_gather(std::span<float>);
template void Collective::all_gather(std::span<double>);
template void Collective::all_gather(std::span<int64_t>);
template void Collective::all_gather(std::span<uint16_t>);

// In two exchanges, so that the first rank does not run ahead, and sends each byte once: its
// pieces, and everybody's own.
void Collective::broadcast(std::span<std::byte> bytes) {
  if (size_ == 1) return;
  const auto n = static_cast<int64_t>(bytes.size());
  const int64_t block = block_size<std::byte>(size_);
  const auto block_at = [&](int r, int64_t b) { return block_of(bytes, piece_of(n, r), block, b); };
  for (int64_t b = 0; b < block_count(n, size_, block); ++b) {
    const std::span<std::byte> none;
    exchange([&](int r) -> std::span<const std::byte> { return is_first() ? block_at(r, b) : none; },
             [&](int r) { return r == 0 ? block_at(rank_, b) : none; });
    exchange([&](int) -> std::span<const std::byte> { return block_at(rank_, b); },
             [&](int r) { return block_at(r, b); });
  }
}

std::string Collective::broadcast(const std::string& text) {
  return gather(is_first() ? text : std::string()).front();
}

std::vector<std::string> Collective::gather(const std::string& text) {
  std::vector<std::string> all(static_cast<size_t>(size_));
  if (size_ == 1) return {text};
  const std::vector<int64_t> sizes = of_each(static_cast<int64_t>(text.size()));
  for (int r = 0; r < size_; ++r) {
    const int64_t bytes = sizes[static_cast<size_t>(r)];
    XF_CHECK(bytes >= 0 && bytes <= kMostTextBytes,
             "collective: {} sends a text of {} bytes; at most {} can be sent", name_of(r), bytes,
             kMostTextBytes);
    all[static_cast<size_t>(r)].resize(static_cast<size_t>(bytes));
  }
  all[static_cast<size_t>(rank_)] = text;
  exchange([&](int) { return bytes_of(text); },
           [&](int r) {
             std::string& other = all[static_cast<size_t>(r)];
             return std::as_writable_bytes(std::span(other.data(), other.size()));
           });
  return all;
}

std::vector<std::string> Collective::gather_if_different(const std::string& text) {
  if (size_ == 1) return {};
  Crc64 own;
  own.add(text);
  const std::vector<Crc64> all = of_each(own);
  const bool are_equal = std::ranges::all_of(all, [&](const Crc64& other) { return other == all.front(); });
  return are_equal ? std::vector<std::string>() : gather(text);
}

}  // namespace xf
