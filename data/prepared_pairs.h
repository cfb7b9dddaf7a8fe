// Pairs of id sequences in a file that is read where a batch needs it, so that a corpus may be
// larger than the memory, is there in a moment when training starts again, and is shared by the
// processes of a machine.
//
//   "xformer pairs 2\n"
//   blocks of 65,536 pairs, the last one of fewer; each, from a multiple of 8 bytes on:
//     uint32 [2 n + 1]    where sentences begin in the block's ids: source 0, target 0, source 1,
//                         ..., and the end
//     uint32 [n]          the numbers of the pairs' lines in the text, from 1
//     uint16 or uint32    ids, without <s> and </s>: source 0, target 0, source 1, ...
//   JSON: description (the writer's), pairs, id_bytes, ids_below, where the blocks begin, and of
//   each two CRC-64: of the numbers in front of its ids, and of these
//   uint64 bytes of the JSON, uint64 CRC-64 of it, "xformer pairs 2\n"
//
// Little-endian. A file without its last bytes is no such file. The numbers are checked when it is
// opened, the ids of a block when the first of them is read: opening does not read them. In memory
// are the sentences' lengths, a byte of each as long as a block has none of more than 255 ids.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/file_writer.h"
#include "core/stored_file.h"

namespace xf::data {

inline constexpr int64_t kPairsPerBlock = 65536;
enum class Side { source, target };

// In order, with the memory of one block.
class PreparedPairsWriter {
 public:
  // ids_below: the size of the larger vocabulary. Error resources, here and below, if the file
  // cannot be written; until commit() nobody sees it (core/file_writer.h). Only its owner may write
  // it.
  PreparedPairsWriter(const std::string& path, int32_t ids_below);

  // A text without sources has empty ones.
  void push_back(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line);
  void commit(const nlohmann::json& description);
  int64_t bytes() const { return bytes_; }

 private:
  void write(std::string_view bytes);
  void write_part(std::string_view bytes);  // of a block
  void write_block();

  FileWriter file_;
  int32_t ids_below_;
  int64_t bytes_ = 0, pairs_ = 0;
  std::vector<int64_t> blocks_;
  std::vector<uint64_t> checksums_;
  std::vector<uint32_t> starts_{0}, lines_;  // of the block that is not written yet
  std::vector<int32_t> ids_;
};

class PreparedPairs {
 public:
  // Error data if it is no such file, not a whole one, or one whose numbers have changed.
  explicit PreparedPairs(StoredFile file);

  const nlohmann::json& description() const { return *description_; }
  int64_t size() const { return pairs_; }
  int64_t bytes() const { return file_.size(); }
  const std::string& path() const { return file_.path(); }

  int64_t length(int64_t pair, Side side) const;
  // On any thread. Error data if the block's ids have changed, or were cut off meanwhile.
  std::vector<int32_t> ids(int64_t pair, Side side) const;
  int64_t line(int64_t pair) const;
  // Whether nobody has written to the file since it was opened, or since this was asked. Else what
  // was read last may be of another text: ids are checked anew when they are read again. On one
  // thread.
  bool is_unchanged() const;

 private:
  struct Block {
    int64_t lines, ids;  // where they begin in the file
    int64_t id_count;
    uint64_t checksum;  // of the ids
    // Of source 0, target 0, source 1, ...; and where every so manieth of them begins.
    std::variant<std::vector<uint8_t>, std::vector<uint32_t>> lengths;
    std::vector<uint32_t> starts;
  };
  void read_end();
  void find_blocks(const std::vector<int64_t>& begins, const std::vector<uint64_t>& checksums, int64_t end);
  Block read_block(int64_t number, int64_t begin, int64_t next, uint64_t index_checksum) const;
  void check_ids(int64_t block) const;
  template <typename Id>
  std::vector<int32_t> read_ids(int64_t begin, int64_t count) const;
  const Block& block_of(int64_t pair) const { return blocks_[static_cast<size_t>(pair / kPairsPerBlock)]; }
  [[noreturn]] void fail_damaged(const std::string& what) const;

  StoredFile file_;
  std::shared_ptr<const nlohmann::json> description_;
  int64_t pairs_ = 0;
  int32_t id_bytes_ = 0, ids_below_ = 0;
  std::vector<Block> blocks_;
  std::unique_ptr<std::atomic<bool>[]> are_sound_;  // the blocks' ids, as far as they were read
  mutable int64_t changed_ = 0;                     // when
};

}  // namespace xf::data
