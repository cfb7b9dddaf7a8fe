#include "data/prepared_pairs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/checksum.h"
#include "core/error.h"
#include "core/json_depth.h"

namespace xf::data {
namespace {

constexpr std::string_view kMagic = "xformer pairs 2\n";
constexpr int64_t kAlignment = 8, kEndBytes = 2 * sizeof(uint64_t) + kMagic.size();
constexpr int64_t kMostIdsInBlock = std::numeric_limits<uint32_t>::max();
constexpr size_t kLengthsPerStart = 128;  // in memory

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

int id_bytes_for(int32_t ids_below) { return ids_below <= 1 << 16 ? 2 : 4; }

uint64_t checksum_of(std::string_view bytes) {
  Crc64 crc;
  crc.add(bytes);
  return crc.value();
}

std::vector<uint32_t> differences(const std::vector<uint32_t>& values) {
  std::vector<uint32_t> result;
  for (size_t i = 1; i < values.size(); ++i) result.push_back(values[i] - values[i - 1]);
  return result;
}

size_t place_in_block(int64_t pair, Side side) {
  return static_cast<size_t>(2 * (pair % kPairsPerBlock) + (side == Side::target ? 1 : 0));
}

uint64_t number_at(const char* bytes) {
  uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

}  // namespace

// ---- writing

PreparedPairsWriter::PreparedPairsWriter(const std::string& path, int32_t ids_below)
    : file_(path, Existing::replaced), ids_below_(ids_below) {
  file_.keep_from_others();
  write(kMagic);
}

void PreparedPairsWriter::write(std::string_view bytes) {
  file_.write(bytes);
  bytes_ += static_cast<int64_t>(bytes.size());
}

void PreparedPairsWriter::write_part(std::string_view bytes) {
  checksums_.push_back(checksum_of(bytes));
  write(bytes);
}

void PreparedPairsWriter::push_back(std::span<const int32_t> source, std::span<const int32_t> target,
                                    int64_t line) {
  XF_CHECK(line > 0 && line <= std::numeric_limits<uint32_t>::max(), "prepared pairs: line {} of a text",
           line);
  XF_CHECK(static_cast<int64_t>(ids_.size() + source.size() + target.size()) <= kMostIdsInBlock,
           "prepared pairs: more than {} ids in a block", kMostIdsInBlock);
  for (const auto& side : {source, target}) {
    ids_.insert(ids_.end(), side.begin(), side.end());
    starts_.push_back(static_cast<uint32_t>(ids_.size()));
  }
  lines_.push_back(static_cast<uint32_t>(line));
  ++pairs_;
  if (static_cast<int64_t>(lines_.size()) == kPairsPerBlock) write_block();
}

void PreparedPairsWriter::write_block() {
  if (lines_.empty()) return;
  write(std::string(static_cast<size_t>(aligned(bytes_) - bytes_), '\0'));
  blocks_.push_back(bytes_);
  write_part(std::string(bytes_of(starts_)).append(bytes_of(lines_)));
  if (id_bytes_for(ids_below_) == 2) {
    write_part(bytes_of(std::vector<uint16_t>(ids_.begin(), ids_.end())));
  } else {
    write_part(bytes_of(ids_));
  }
  starts_ = {0};
  lines_.clear();
  ids_.clear();
}

void PreparedPairsWriter::commit(const nlohmann::json& description) {
  write_block();
  const std::string end =
      nlohmann::json{
          {"description", description}, {"pairs", pairs_},   {"id_bytes", id_bytes_for(ids_below_)},
          {"ids_below", ids_below_},    {"blocks", blocks_}, {"checksums", checksums_}}
          .dump();
  write(end);
  write(bytes_of(std::vector<uint64_t>{end.size(), checksum_of(end)}));
  write(kMagic);
  file_.commit();
}

// ---- reading

PreparedPairs::PreparedPairs(StoredFile file) : file_(std::move(file)), changed_(file_.changed()) {
  read_end();
}

void PreparedPairs::fail_damaged(const std::string& what) const {
  fail(ErrorKind::data, "{}: damaged: {}; remove it, and the next run prepares the text again", path(), what);
}

void PreparedPairs::read_end() {
  constexpr auto kMagicBytes = static_cast<int64_t>(kMagic.size());
  if (bytes() < kEndBytes + kMagicBytes || file_.bytes(0, kMagicBytes) != kMagic ||
      file_.bytes(bytes() - kMagicBytes, kMagicBytes) != kMagic)
    fail_damaged("not a complete file of prepared pairs");
  const std::string end = file_.bytes(bytes() - kEndBytes, kEndBytes);
  const uint64_t size = number_at(end.data());
  if (size > static_cast<uint64_t>(bytes() - kEndBytes - kMagicBytes))
    fail_damaged("its description is larger than the file");
  const int64_t begin = bytes() - kEndBytes - static_cast<int64_t>(size);
  const std::string text = file_.bytes(begin, static_cast<int64_t>(size));
  if (checksum_of(text) != number_at(end.data() + sizeof size)) fail_damaged("its description has changed");
  try {
    if (is_too_deep_json(text)) fail_damaged("its description is unreadable");
    const nlohmann::json json = nlohmann::json::parse(text);
    pairs_ = json.at("pairs");
    id_bytes_ = json.at("id_bytes");
    ids_below_ = json.at("ids_below");
    description_ = std::make_shared<nlohmann::json>(json.at("description"));
    find_blocks(json.at("blocks"), json.at("checksums"), begin);
  } catch (const nlohmann::json::exception&) {
    fail_damaged("its description is unreadable");
  }
}

// Each block lies in front of the next one, and the last one in front of `end`.
void PreparedPairs::find_blocks(const std::vector<int64_t>& begins, const std::vector<uint64_t>& checksums,
                                int64_t end) {
  const auto count = static_cast<int64_t>(begins.size());
  if (pairs_ < 0 || (id_bytes_ != 2 && id_bytes_ != 4) || checksums.size() != 2 * begins.size() ||
      count != (pairs_ + kPairsPerBlock - 1) / kPairsPerBlock)
    fail_damaged("the numbers of pairs and blocks do not agree");
  for (int64_t b = 0; b < count; ++b) {
    const auto i = static_cast<size_t>(b);
    blocks_.push_back(read_block(b, begins[i], b + 1 < count ? begins[i + 1] : end, checksums[2 * i]));
    blocks_.back().checksum = checksums[2 * i + 1];
  }
  are_sound_ = std::make_unique<std::atomic<bool>[]>(begins.size());
}

PreparedPairs::Block PreparedPairs::read_block(int64_t number, int64_t begin, int64_t next,
                                               uint64_t index_checksum) const {
  const int64_t pairs = std::min(kPairsPerBlock, pairs_ - number * kPairsPerBlock);
  std::vector<uint32_t> starts(static_cast<size_t>(2 * pairs + 1)), lines(static_cast<size_t>(pairs));
  const auto index = static_cast<int64_t>(bytes_of(starts).size() + bytes_of(lines).size());
  if (begin < 0 || begin % kAlignment != 0 || next < begin || next > bytes() || next - begin < index)
    fail_damaged(fmt::format("block {} is not where it should be", number));
  const auto lines_begin = begin + static_cast<int64_t>(bytes_of(starts).size());
  file_.read(begin, starts.data(), lines_begin - begin);
  file_.read(lines_begin, lines.data(), begin + index - lines_begin);
  Crc64 crc;
  crc.add(bytes_of(starts));
  crc.add(bytes_of(lines));
  if (crc.value() != index_checksum || starts.front() != 0 || !std::ranges::is_sorted(starts) ||
      starts.back() > (next - begin - index) / id_bytes_)
    fail_damaged(fmt::format("the beginning of block {} has changed", number));
  Block block{lines_begin, begin + index, starts.back(), 0, {}, {}};
  const std::vector<uint32_t> lengths = differences(starts);
  if (*std::ranges::max_element(lengths) <= std::numeric_limits<uint8_t>::max()) {
    block.lengths = std::vector<uint8_t>(lengths.begin(), lengths.end());
  } else {
    block.lengths = lengths;
  }
  for (size_t i = 0; i < starts.size(); i += kLengthsPerStart) block.starts.push_back(starts[i]);
  return block;
}

// Two threads may both find it so.
void PreparedPairs::check_ids(int64_t block) const {
  std::atomic<bool>& is_sound = are_sound_[static_cast<size_t>(block)];
  if (is_sound) return;
  const Block& b = blocks_[static_cast<size_t>(block)];
  if (file_.checksum(b.ids, b.id_count * id_bytes_).value() != b.checksum)
    fail_damaged(fmt::format("the ids of block {} have changed", block));
  is_sound = true;
}

int64_t PreparedPairs::length(int64_t pair, Side side) const {
  return std::visit([&](const auto& lengths) -> int64_t { return lengths[place_in_block(pair, side)]; },
                    block_of(pair).lengths);
}

template <typename Id>
std::vector<int32_t> PreparedPairs::read_ids(int64_t begin, int64_t count) const {
  std::vector<Id> ids(static_cast<size_t>(count));
  file_.read(begin, ids.data(), count * static_cast<int64_t>(sizeof(Id)));
  if constexpr (std::is_same_v<Id, int32_t>) {
    return ids;
  } else {
    return {ids.begin(), ids.end()};
  }
}

std::vector<int32_t> PreparedPairs::ids(int64_t pair, Side side) const {
  check_ids(pair / kPairsPerBlock);
  const Block& block = block_of(pair);
  const size_t place = place_in_block(pair, side), known = place / kLengthsPerStart;
  const int64_t start = std::visit(
      [&](const auto& lengths) {
        return std::accumulate(lengths.begin() + static_cast<int64_t>(known * kLengthsPerStart),
                               lengths.begin() + static_cast<int64_t>(place), int64_t{block.starts[known]});
      },
      block.lengths);
  const int64_t begin = block.ids + start * id_bytes_, count = length(pair, side);
  std::vector<int32_t> ids =
      id_bytes_ == 2 ? read_ids<uint16_t>(begin, count) : read_ids<int32_t>(begin, count);
  for (const int32_t id : ids) {
    if (id < 0 || id >= ids_below_) fail_damaged(fmt::format("pair {} has an id {}", pair, id));
  }
  return ids;
}

bool PreparedPairs::is_unchanged() const {
  const int64_t before = std::exchange(changed_, file_.changed());
  if (before == changed_) return true;
  for (size_t b = 0; b < blocks_.size(); ++b) are_sound_[b] = false;
  return false;
}

int64_t PreparedPairs::line(int64_t pair) const {
  uint32_t line = 0;
  constexpr int64_t kBytes = sizeof line;
  file_.read(block_of(pair).lines + kBytes * (pair % kPairsPerBlock), &line, kBytes);
  return line;
}

}  // namespace xf::data
