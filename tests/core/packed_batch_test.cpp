#include "core/packed_batch.h"

#include "tests/support/batch.h"
#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::tests;

TEST_CASE("PackedBatch: repeated has each sentence so many times, in the order that its ids ask for",
          "[unit]") {
  const PackedBatch once = random_batch({5, 1, 9}, {4, 2, 3}, 13, 17, 21);
  for (const int64_t times : {1, 2, 3}) {
    const PackedBatch all = once.repeated(times);
    CHECK(all.sentences == 3 * times);
    CHECK(all.source_tokens == 15 * times);
    CHECK(all.target_tokens == 9 * times);
    CHECK(all.longest_source == 9);
    for (int64_t k = 0; k < times; ++k) {
      const PackedBatch again = all.part(3 * k, 3 * k + 3);
      CHECK(same_bits(again.source_ids, once.source_ids));
      CHECK(same_bits(again.source_positions, once.source_positions));
      CHECK(same_bits(again.source_offsets, once.source_offsets));
      CHECK(same_bits(again.target_in, once.target_in));
      CHECK(same_bits(again.target_out, once.target_out));
      CHECK(same_bits(again.target_offsets, once.target_offsets));
    }
    CHECK(same_bits(all.source_order, order_by_id(all.source_ids.to_vector<int32_t>())));
    CHECK(same_bits(all.target_order, order_by_id(all.target_in.to_vector<int32_t>())));
  }
}
