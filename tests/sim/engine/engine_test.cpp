// What the engine asks of a CUDA device beyond right values: claims that a software GPU can see and
// a real one cannot show, or another device than the one at hand.
#include "core/cuda.h"
#include "core/device.h"
#include "kernels/attention.h"
#include "tests/nn/tiny_model.h"
#include "tests/sim/memory.h"
#include "tests/sim/settings.h"
#include "tests/sim/stream.h"
#include "tests/support/catch.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

namespace {

class WithSettings {
 public:
  explicit WithSettings(const std::function<void(sim::Settings&)>& change) { change(sim::settings()); }
  ~WithSettings() { sim::settings() = before_; }
  WithSettings(const WithSettings&) = delete;
  WithSettings& operator=(const WithSettings&) = delete;

 private:
  sim::Settings before_ = sim::settings();
};

// Forward, and backward if asked for, of one sentence with heads of Dh columns.
void attend(DType dtype, int64_t Dh, int64_t longest, bool backward) {
  const Device device = Device::cuda();
  const auto rows = [&] { return Tensor::zeros({2, Dh}, dtype, device); };
  const Tensor q = rows(), k = rows(), v = rows(), o = rows(), grad_o = rows(), dq = rows(), dk = rows(),
               dv = rows();
  const Tensor offsets = Tensor::from<int32_t>({0, 2}, {2}).to(device);
  const kernels::AttentionShape shape{.heads = 1, .max_keys = longest, .scale = 1};
  const Tensor lse = shape.is_long() ? Tensor::zeros({1, 2}, DType::f32, device) : Tensor();
  kernels::attention_forward(q, k, v, offsets, offsets, shape, {}, o, lse);
  if (backward) kernels::attention_backward(grad_o, q, k, v, o, lse, offsets, offsets, shape, {}, dq, dk, dv);
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("CUDA: scratch memory that was not to be had is not there the next time either", "[cuda]") {
  cuda::compute_on(Device::cuda());
  const WithSettings settings([](sim::Settings& s) { s.memory = size_t{1} << 20; });
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_WITH(cuda::workspace(int64_t{1} << 30), Catch::Contains("out of GPU memory"));
}

TEST_CASE("CUDA: a training step copies nothing from pageable memory, which may wait for the device",
          "[cuda]") {
  TransformerConfig config = tiny_config();
  TinyModel model(DType::f32, config, Arena::kDefaultBlock, Device::cuda());
  TrainerOptions options;
  options.capacity = {.source_tokens = 20, .target_tokens = 20, .sentences = 4};
  options.micro_batches = 2;
  Trainer trainer(model.transformer, model.store, model.arena, options);
  const PackedBatch batch = random_batch({5, 1, 9}, {4, 2, 11}, 13, 17, 1);
  const uint64_t before = sim::memory::pageable_copies;
  for (int64_t update = 1; update <= 4; ++update) trainer.start(update, [&] { return batch; });
  CHECK(sim::memory::pageable_copies == before);
  CHECK(trainer.finished().size() == 4);
}

TEST_CASE("CUDA: a copy to the host whose wait ends in an error writes nothing any more", "[cuda]") {
  const Tensor device = Tensor::from<float>({1, 2, 3}).to(Device::cuda()),
               host = Tensor::from<float>({7, 7, 7});
  bool may_end = false;  // what another rank has a part in
  sim::push(cuda::stream(), {}, [&] {
    if (!may_end) throw sim::Unfinished();
  });
  cuda::look_while_waiting([](double) { fail(ErrorKind::failure, "a rank has ended"); });
  CHECK(says(refusal_of([&] { host.copy_from(device); }), "a rank has ended"));
  cuda::look_while_waiting({});
  may_end = true;
  CHECK(device.to_vector<float>() == std::vector<float>{1, 2, 3});  // all that was queued is done
  CHECK(host.to_vector<float>() == std::vector<float>{7, 7, 7});
  host.copy_from(device);
  CHECK(host.to_vector<float>() == std::vector<float>{1, 2, 3});
}

TEST_CASE("CUDA: with 99 KiB of shared memory, heads of 64 work on both paths and in both types", "[cuda]") {
  const WithSettings settings([](sim::Settings& s) { s.shared = 99 << 10; });
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const int64_t longest : {int64_t{64}, int64_t{100}}) CHECK_NOTHROW(attend(dtype, 64, longest, true));
  }
}

TEST_CASE("CUDA: with 99 KiB of shared memory, wider heads that do not fit are refused in words", "[cuda]") {
  CHECK_NOTHROW(attend(DType::f32, 128, 100, true));
  const WithSettings settings([](sim::Settings& s) { s.shared = 99 << 10; });
  CHECK_NOTHROW(attend(DType::bf16, 128, 64, true));
  CHECK_NOTHROW(attend(DType::bf16, 128, 100, false));
  CHECK_NOTHROW(attend(DType::f32, 128, 100, false));
  CHECK(refusal_of([] { attend(DType::f32, 128, 100, true); }) ==
        "attention: heads of 128 columns in float32 need 136704 bytes of shared memory, and this device has "
        "101376; use more heads, so that each has at most 64 columns");
  CHECK(says(refusal_of([] { attend(DType::bf16, 100, 100, true); }), "heads of 100 columns in bfloat16"));
  CHECK(says(refusal_of([] { attend(DType::f32, 128, 64, true); }), "heads of 128 columns in float32"));
}

TEST_CASE("CUDA: a device that fails says why in the driver's own words", "[cuda]") {
  const WithSettings settings(
      [](sim::Settings& s) { s.device_error = 802; });  // the fabric manager is not up
  const DeviceChoice choice = choose_device("auto");
  CHECK(choice.device == Device::cpu());
  CHECK(says(choice.why_not_cuda, "cudaErrorSystemNotReady"));
  CHECK(says(refusal_of([] { choose_device("cuda"); }), "cudaErrorSystemNotReady"));
}
