#include "core/packed_batch.h"

#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::tests;

TEST_CASE("PackedBatch: twice has each sentence again, in the order that its ids ask for", "[unit]") {
  const PackedBatch once = random_batch({5, 1, 9}, {4, 2, 3}, 13, 17, 21), twice = once.twice();
  CHECK(twice.sentences == 6);
  CHECK(twice.source_tokens == 30);
  CHECK(twice.target_tokens == 18);
  CHECK(twice.longest_source == 9);
  const PackedBatch again = twice.part(3, 6);
  CHECK(same_bits(again.source_ids, once.source_ids));
  CHECK(same_bits(again.source_positions, once.source_positions));
  CHECK(same_bits(again.source_offsets, once.source_offsets));
  CHECK(same_bits(again.target_in, once.target_in));
  CHECK(same_bits(again.target_out, once.target_out));
  CHECK(same_bits(again.target_offsets, once.target_offsets));
  CHECK(same_bits(twice.source_order, order_by_id(twice.source_ids.to_vector<int32_t>())));
  CHECK(same_bits(twice.target_order, order_by_id(twice.target_in.to_vector<int32_t>())));
}
