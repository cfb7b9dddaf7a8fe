#include "data/prepared_pairs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/checksum.h"
#include "core/error.h"
#include "core/json_depth.h"

namespace xf::data {
namespace {

constexpr std::string_view kMagic = "xformer pairs 2\n";
constexpr int64_t kAlignment = 8, kEndBytes = 2 * sizeof(uint64_t) + kMagic.size();
constexpr int64_t kMostIdsInBlock = std::numeric_limits<uint32_t>::max();

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

uint64_t number_at(const char* bytes) {
  uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

}  // namespace

// ---- writing

PreparedPairsWriter::PreparedPairsWriter(const std::string& path, int32_t ids_below)
    : file_(path), ids_below_(ids_below) {
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

PreparedPairs::PreparedPairs(const std::string& path) : file_(path) { read_end(); }

void PreparedPairs::fail_damaged(const std::string& what) const {
  fail(ErrorKind::data, "{}: damaged: {}; remove it, and the text is prepared again", path(), what);
}

void PreparedPairs::read_end() {
  const std::string_view all(file_.data(), file_.size());
  if (!all.starts_with(kMagic) || !all.ends_with(kMagic) || bytes() < kEndBytes + int64_t{kMagic.size()})
    fail_damaged("not a whole file of prepared pairs");
  const std::string_view end = all.substr(all.size() - kEndBytes);
  const uint64_t size = number_at(end.data());
  if (size > all.size() - kEndBytes - kMagic.size()) fail_damaged("its description is larger than the file");
  const std::string_view text = all.substr(all.size() - kEndBytes - size, size);
  if (checksum_of(text) != number_at(end.data() + sizeof size)) fail_damaged("its description has changed");
  try {
    if (is_too_deep_json(text)) fail_damaged("its description is not one");
    const nlohmann::json json = nlohmann::json::parse(text);
    pairs_ = json.at("pairs");
    id_bytes_ = json.at("id_bytes");
    ids_below_ = json.at("ids_below");
    description_ = std::make_shared<nlohmann::json>(json.at("description"));
    find_blocks(json.at("blocks"), json.at("checksums"), bytes() - kEndBytes - static_cast<int64_t>(size));
  } catch (const nlohmann::json::exception&) {
    fail_damaged("its description is not one");
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
    const int64_t begin = begins[i], next = b + 1 < count ? begins[i + 1] : end,
                  pairs = std::min(kPairsPerBlock, pairs_ - b * kPairsPerBlock),
                  index = static_cast<int64_t>(sizeof(uint32_t)) * (3 * pairs + 1);
    if (begin < 0 || begin % kAlignment != 0 || next > end || next - begin < index)
      fail_damaged(fmt::format("block {} is not where it should be", b));
    const char* const bytes = file_.data() + begin;
    const auto* const starts = reinterpret_cast<const uint32_t*>(bytes);
    const int64_t ids = starts[2 * pairs];
    if (checksum_of({bytes, static_cast<size_t>(index)}) != checksums[2 * i] ||
        ids > (next - begin - index) / id_bytes_)
      fail_damaged(fmt::format("the beginning of block {} has changed", b));
    blocks_.push_back({starts, starts + 2 * pairs + 1, bytes + index, ids, checksums[2 * i + 1]});
  }
  are_sound_ = std::make_unique<std::atomic<bool>[]>(begins.size());
}

// Two threads may both find it so.
void PreparedPairs::check_ids(int64_t block) const {
  std::atomic<bool>& is_sound = are_sound_[static_cast<size_t>(block)];
  if (is_sound) return;
  const Block& b = blocks_[static_cast<size_t>(block)];
  if (checksum_of({b.ids, static_cast<size_t>(b.id_count * id_bytes_)}) != b.checksum)
    fail_damaged(fmt::format("the ids of block {} have changed", block));
  is_sound = true;
}

std::pair<int64_t, int64_t> PreparedPairs::range(int64_t pair, Side side) const {
  const Block& block = block_of(pair);
  const uint32_t* const start = block.starts + 2 * (pair % kPairsPerBlock) + (side == Side::target);
  if (start[0] > start[1] || start[1] > block.id_count)
    fail_damaged(fmt::format("pair {} lies nowhere", pair));
  return {start[0], start[1]};
}

int64_t PreparedPairs::length(int64_t pair, Side side) const {
  const auto [begin, end] = range(pair, side);
  return end - begin;
}

std::vector<int32_t> PreparedPairs::ids(int64_t pair, Side side) const {
  check_ids(pair / kPairsPerBlock);
  const auto [begin, end] = range(pair, side);
  const char* const from = block_of(pair).ids;
  std::vector<int32_t> ids(static_cast<size_t>(end - begin));
  const auto copy = [&, begin = begin, end = end]<typename T>(const T* all) {
    std::copy(all + begin, all + end, ids.begin());
  };
  if (id_bytes_ == 2) {
    copy(reinterpret_cast<const uint16_t*>(from));
  } else {
    copy(reinterpret_cast<const int32_t*>(from));
  }
  for (const int32_t id : ids) {
    if (id < 0 || id >= ids_below_) fail_damaged(fmt::format("pair {} has an id {}", pair, id));
  }
  return ids;
}

int64_t PreparedPairs::line(int64_t pair) const { return block_of(pair).lines[pair % kPairsPerBlock]; }

}  // namespace xf::data
