// What RunFolder's tests (run_folder_test.cpp) do not show: which saves do not go together.
#include "nn/checkpoint/average.h"

#include "tests/data/errors.h"
#include "tests/nn/sample_checkpoint.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using tests::error_of;
using tests::sample_checkpoint;

TEST_CASE("Average: a save with a tensor more, one less, or one of another shape is refused by its name",
          "[unit]") {
  const auto refusal = [](const Checkpoint& second) {
    Average average;
    average.add(sample_checkpoint(1), "first");
    return error_of([&] { average.add(second, "second"); });
  };
  Checkpoint more = sample_checkpoint(2), less = sample_checkpoint(2), turned = sample_checkpoint(2);
  more.model["extra"] = Tensor::from<float>({1});
  less.model.erase("w");
  // as many elements
  turned.model["w"] = Tensor::from(turned.model.at("w").to_vector<float>(), {8, 5});
  CHECK(refusal(sample_checkpoint(2)) == "no error");
  CHECK_THAT(refusal(more), Catch::StartsWith("3: second: has 'extra'"));
  CHECK_THAT(refusal(less), Catch::StartsWith("3: second: lacks 'w'"));
  CHECK_THAT(refusal(turned), Catch::StartsWith("3: second: 'w' is [8, 5], in the previous model [40]"));
}

TEST_CASE("Average: the mean leaves the saves as they are, and may be taken again with one more", "[unit]") {
  Average average;
  CHECK(average.empty());
  const Checkpoint first = sample_checkpoint(1);
  average.add(first, "first");
  CHECK(average.mean().model.at("b").to_vector<float>() == std::vector<float>{1});
  average.add(sample_checkpoint(4), "second");
  CHECK(average.mean().model.at("b").to_vector<float>() == std::vector<float>{2.5});
  CHECK(average.mean().state.get<std::vector<int64_t>>("averaged") == std::vector<int64_t>{1, 4});
  CHECK(first.model.at("b").to_vector<float>() == std::vector<float>{1});
}
