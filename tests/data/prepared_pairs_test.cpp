#include "data/prepared_pairs.h"

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "tests/data/errors.h"
#include "tests/data/temporary_folder.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::data;
using tests::error_of;

namespace {

using Ids = std::vector<int32_t>;

// Pair i: i % 5 source ids from `first` on, i % 3 target ids.
Ids source_of(int64_t i, int32_t first) {
  Ids ids(static_cast<size_t>(i % 5));
  for (size_t j = 0; j < ids.size(); ++j) ids[j] = first + static_cast<int32_t>((i + int64_t(j)) % 100);
  return ids;
}
Ids target_of(int64_t i, int32_t first) {
  return Ids(static_cast<size_t>(i % 3), first + static_cast<int32_t>(i % 7));
}

std::string written(const std::string& path, int64_t pairs, int32_t first = 0) {
  PreparedPairsWriter writer(path, first + 100);
  for (int64_t i = 0; i < pairs; ++i) writer.push_back(source_of(i, first), target_of(i, first), 3 * i + 1);
  writer.commit({{"what", "a test"}});
  return path;
}

std::string refusal(const std::string& path) {
  return error_of([&] {
    const PreparedPairs pairs{StoredFile(path)};
    for (int64_t i = 0; i < pairs.size(); ++i) pairs.ids(i, Side::source), pairs.ids(i, Side::target);
  });
}

}  // namespace

TEST_CASE("Prepared pairs: read back as they were written, in 16 bits and in 32", "[unit]") {
  const tests::TemporaryFolder folder;
  const int32_t first = GENERATE(0, 1 << 20);
  const int64_t count = GENERATE(0, 1, kPairsPerBlock, 2 * kPairsPerBlock + 17);
  const PreparedPairs pairs{StoredFile(written(folder / "pairs", count, first))};
  REQUIRE(pairs.size() == count);
  CHECK(pairs.description() == nlohmann::json{{"what", "a test"}});
  bool equal = true;
  for (int64_t i = 0; i < count; ++i) {
    const Ids source = source_of(i, first), target = target_of(i, first);
    equal = equal && pairs.ids(i, Side::source) == source && pairs.ids(i, Side::target) == target &&
            pairs.length(i, Side::source) == std::ssize(source) &&
            pairs.length(i, Side::target) == std::ssize(target) && pairs.line(i) == 3 * i + 1;
  }
  CHECK(equal);
  // Four bytes for each of three numbers, and the ids: 2 and 1 on average.
  if (count > kPairsPerBlock)
    CHECK(static_cast<double>(pairs.bytes()) < static_cast<double>(count) * (12 + (first ? 12 : 6)) + 1000);
}

TEST_CASE("Prepared pairs: nobody sees a file that is not finished", "[unit]") {
  const tests::TemporaryFolder folder;
  {
    PreparedPairsWriter writer(folder / "pairs", 100);
    for (int64_t i = 0; i < kPairsPerBlock + 5; ++i) writer.push_back(Ids{1}, Ids{2}, i + 1);
  }
  CHECK_THAT(error_of([&] { PreparedPairs{StoredFile(folder / "pairs")}; }), Catch::StartsWith("3: "));
}

TEST_CASE("Prepared pairs: a file that is cut anywhere is refused, with what to do", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string whole = read_file(written(folder / "pairs", 40));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string message = refusal(folder.write("cut", whole.substr(0, size)));
    REQUIRE_THAT(message, Catch::StartsWith("3: " + (folder / "cut") + ": damaged: ") &&
                              Catch::EndsWith("remove it, and the next run prepares the text again"));
  }
}

TEST_CASE("Prepared pairs: with any byte changed it is refused, with what to do", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string whole = read_file(written(folder / "pairs", 40));
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0xFF);
    REQUIRE_THAT(refusal(folder.write("changed", bytes)),
                 Catch::EndsWith("remove it, and the next run prepares the text again"));
  }
}

TEST_CASE("Prepared pairs: where sentences begin is checked when the file is opened, an id when it is read",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string whole = read_file(written(folder / "pairs", kPairsPerBlock + 17));
  const auto changed = [&](size_t at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return folder.write("changed", bytes);
  };
  const size_t first_id = 16 + 4 * (3 * kPairsPerBlock + 1);
  CHECK_THAT(error_of([&] { PreparedPairs{StoredFile(changed(400))}; }),
             Catch::Contains("block 0 has changed"));
  const PreparedPairs pairs{StoredFile(changed(first_id))};
  CHECK_THAT(error_of([&] { pairs.ids(3, Side::target); }), Catch::Contains("the ids of block 0"));
  CHECK(pairs.ids(kPairsPerBlock + 1, Side::source) == source_of(kPairsPerBlock + 1, 0));
}

TEST_CASE("Prepared pairs: sentences of any length, where a block has short ones alone and where it has not",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const int64_t longest = GENERATE(255, 256, 70000);
  PreparedPairsWriter writer(folder / "pairs", 100);
  const auto ids_of = [&](int64_t i) { return Ids(static_cast<size_t>(i == 150 ? longest : i % 3), 7); };
  for (int64_t i = 0; i < 300; ++i) writer.push_back(ids_of(i), ids_of(i + 1), i + 1);
  writer.commit({});
  const PreparedPairs pairs{StoredFile(folder / "pairs")};
  bool equal = true;
  for (int64_t i = 0; i < 300; ++i)
    equal = equal && pairs.ids(i, Side::source) == ids_of(i) && pairs.ids(i, Side::target) == ids_of(i + 1) &&
            pairs.length(i, Side::source) == std::ssize(ids_of(i));
  CHECK(equal);
}

TEST_CASE("Prepared pairs: a file that is cut short while it is read is an error of reading", "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = written(folder / "pairs", kPairsPerBlock + 17);
  const PreparedPairs pairs{StoredFile(path)};
  const bool read_before = GENERATE(false, true);
  if (read_before) CHECK(pairs.ids(44, Side::source) == source_of(44, 0));
  std::filesystem::resize_file(path, 5000);
  CHECK_THAT(error_of([&] { pairs.ids(44, Side::source); }),
             Catch::StartsWith("3: " + path + ": was truncated while it was read: it has 5000 bytes"));
  CHECK_THAT(error_of([&] { pairs.line(44); }), Catch::Contains("was truncated"));
  CHECK(pairs.length(44, Side::source) == 4);
}

TEST_CASE("Prepared pairs: what is written over while it is read is noticed, and a new time alone is nothing",
          "[unit]") {
  const tests::TemporaryFolder folder;
  const std::string path = written(folder / "pairs", 300);
  const PreparedPairs pairs{StoredFile(path)};
  const auto written_later = [&](const std::string& bytes) {
    folder.write("pairs", bytes);
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  };
  const std::string whole = read_file(path);
  CHECK(pairs.ids(44, Side::source) == source_of(44, 0));
  CHECK(pairs.is_unchanged());
  written_later(whole);
  CHECK_FALSE(pairs.is_unchanged());
  CHECK(pairs.is_unchanged());
  CHECK(pairs.ids(44, Side::source) == source_of(44, 0));
  std::string other = whole;
  const size_t first_id = 16 + 4 * (3 * 300 + 1);
  other[first_id] = static_cast<char>(other[first_id] ^ 1);
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
  CHECK_FALSE(pairs.is_unchanged());
  written_later(other);
  CHECK_FALSE(pairs.is_unchanged());
  CHECK_THAT(error_of([&] { pairs.ids(44, Side::source); }),
             Catch::Contains("the ids of block 0 have changed"));
}
