#include "nn/train/word_dropout.h"

#include <algorithm>

#include "tests/nn/tiny_model.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

constexpr int32_t kUnknown = 1;
constexpr WordDropout kBoth{
    .source = 0.2f, .target = 0.4f, .source_unknown = kUnknown, .target_unknown = kUnknown};

Ids ids(const Tensor& tensor) { return tensor.to_vector<int32_t>(); }

// Sentences of 40 tokens, whose ids begin at 5.
PackedBatch long_batch(int sentences) {
  const Ids lengths(static_cast<size_t>(sentences), 40);
  PackedBatch batch = random_batch(lengths, lengths, 300, 300, 3);
  const auto known = [](const Tensor& tensor) {
    Ids all = ids(tensor);
    for (int32_t& id : all) id = std::max(id, 5);
    return Tensor::from(all);
  };
  batch.source_ids = known(batch.source_ids);
  batch.target_in = known(batch.target_in);
  batch.source_order = order_by_id(ids(batch.source_ids));
  batch.target_order = order_by_id(ids(batch.target_in));
  return batch;
}

double share_of_unknown(const Tensor& tensor) {
  const Ids all = ids(tensor);
  return static_cast<double>(std::ranges::count(all, kUnknown)) / static_cast<double>(all.size());
}

}  // namespace

TEST_CASE("Word dropout: so many words are <unk>, what stays is as it was, and what is predicted too",
          "[unit]") {
  const PackedBatch batch = long_batch(250);
  const PackedBatch read = drop_words(batch, kBoth, 7, {3, 0, 0});
  // Of 10,000 tokens 9,750 can be dropped; five standard deviations of 0.004 and 0.005.
  CHECK(std::abs(share_of_unknown(read.source_ids) - 0.2 * 39 / 40) < 0.02);
  CHECK(std::abs(share_of_unknown(read.target_in) - 0.4 * 39 / 40) < 0.025);
  const auto check_side = [](const Tensor& before, const Tensor& after, const Tensor& order, size_t stays) {
    const Ids from = ids(before), to = ids(after);
    for (size_t n = 0; n < from.size(); ++n) {
      CHECK((to[n] == from[n] || to[n] == kUnknown));
      if (n % 40 == stays) CHECK(to[n] == from[n]);
    }
    CHECK(ids(order) == ids(order_by_id(to)));
  };
  check_side(batch.source_ids, read.source_ids, read.source_order, 39);
  check_side(batch.target_in, read.target_in, read.target_order, 0);
  CHECK(ids(read.target_out) == ids(batch.target_out));
  const PackedBatch none = drop_words(batch, {}, 7, {3, 0, 0});
  CHECK(ids(none.source_ids) == ids(batch.source_ids));
  CHECK(ids(none.target_in) == ids(batch.target_in));
}

TEST_CASE("Word dropout: which ones depends on the seed, the update and a word's number in it alone",
          "[unit]") {
  const PackedBatch batch = long_batch(4);
  const auto read = [&](uint64_t seed, int64_t update) {
    return ids(drop_words(batch, kBoth, seed, {update, 0, 0}).source_ids);
  };
  CHECK(read(7, 3) == read(7, 3));
  CHECK(read(7, 3) != read(8, 3));
  CHECK(read(7, 3) != read(7, 4));
  // Cut in two, the same.
  const Ids whole = ids(drop_words(batch, kBoth, 7, {3, 100, 200}).target_in);
  Ids parts = ids(drop_words(batch.part(0, 1), kBoth, 7, {3, 100, 200}).target_in);
  const Ids rest = ids(drop_words(batch.part(1, 4), kBoth, 7, {3, 140, 240}).target_in);
  parts.insert(parts.end(), rest.begin(), rest.end());
  CHECK(parts == whole);
}

TEST_CASE("Word dropout: a batch that is read twice has other words dropped each time", "[unit]") {
  const Ids twice = ids(drop_words(long_batch(4).repeated(2), kBoth, 7, {3, 0, 0}).source_ids);
  const auto half = twice.begin() + static_cast<std::ptrdiff_t>(twice.size() / 2);
  CHECK(Ids(twice.begin(), half) != Ids(half, twice.end()));
}
