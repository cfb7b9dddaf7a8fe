#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "bench/external/shared_calls.h"
#include "bench/external/signature.h"
#include "bench/free_shapes.h"
#include "bench/model_sizes.h"
#include "bench/runner.h"
#include "core/error.h"
#include "core/file.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tools/config/command_line.h"

namespace xf::bench {
namespace {

using Catch::Contains;
const tests::Target kF32{Device::cpu(), DType::f32};

Scope scope_in(DType dtype) { return scope_of("tiny", {Device::cpu(), dtype}); }

std::vector<Case> small_cases(const Signature& signature, DType dtype) {
  Sweep sweep;
  int64_t size = 5;
  for (const std::string& name : sizes_of(signature.fn)) sweep.sizes.push_back({name, {size++}});
  return free_cases(scope_in(dtype), signature.fn, sweep);
}

// "N, 2 P" of {N: 5, P: 6} is [5, 12].
std::vector<int64_t> shape_of(const Argument& argument, const Extents& sizes) {
  std::vector<int64_t> shape;
  std::istringstream extents{std::string(argument.shape)};
  for (std::string extent; std::getline(extents, extent, ',');) {
    std::istringstream factors(extent);
    shape.push_back(1);
    for (std::string factor; factors >> factor;)
      shape.back() *= std::isdigit(factor[0]) ? std::stoll(factor) : size_of(sizes, factor);
  }
  return shape;
}

TEST_CASE("Signature: the C header is what the table says", "[unit]") {
  CHECK(read_file(tests::source_folder() + "/bench/external/xformer_kernel.h") == c_header());
}

TEST_CASE("Signature: arguments, sizes and numbers are those of the calls that are timed", "[unit]") {
  for (const Signature& signature : signatures()) {
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      if (signature.fn == "adam" && dtype == DType::bf16) continue;  // refused by name
      for (const Case& c : small_cases(signature, dtype)) {
        INFO(c.fn << " " << c.shape() << " " << xf::name_of(dtype));
        Arena arena(Device::cpu());
        Inputs inputs(c.target, arena);
        const Call call = c.make(inputs);
        REQUIRE(call.operands.tensors.size() == signature.arguments.size());
        for (const Argument& argument : signature.arguments) {
          INFO(argument.name);
          const Tensor& tensor = call.operands.tensor(argument.name);
          std::vector<int64_t> shape;
          for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.dim(axis));
          // as stored: transposed or not
          if (c.fn == "matmul") std::sort(shape.begin(), shape.end());
          std::vector<int64_t> expected = shape_of(argument, c.extents);
          if (c.fn == "matmul") std::sort(expected.begin(), expected.end());
          CHECK(shape == expected);
          CHECK(tensor.contiguous());
          CHECK(tensor.dtype() == type_of(argument, dtype));
        }
        std::set<std::string> numbers, listed;
        for (const auto& [name, unused] : call.operands.numbers) numbers.insert(name);
        for (const Number& number : signature.numbers) listed.insert(number.name);
        CHECK(numbers == listed);
      }
    }
  }
}

TEST_CASE("Signature: every output that is compared is one that a kernel is given", "[unit]") {
  for (const Signature& signature : signatures()) {
    for (const Case& c : small_cases(signature, DType::f32)) {
      Arena arena(Device::cpu());
      Inputs inputs(c.target, arena);
      const Call call = c.make(inputs);
      for (const Output& output : call.outputs) {
        const bool given =
            std::any_of(signature.arguments.begin(), signature.arguments.end(), [&](const Argument& a) {
              return a.use != Use::read && call.operands.tensor(a.name).raw() == output.tensor.raw();
            });
        INFO(c.fn);
        CHECK(given);
      }
    }
  }
}

TEST_CASE("Free shapes: ours agree with their definitions", "[unit]") {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Signature& signature : signatures()) {
      for (const Case& c : small_cases(signature, dtype)) {
        Arena arena(Device::cpu());
        Inputs inputs(c.target, arena);
        INFO(c.fn << " " << c.shape() << " " << xf::name_of(dtype));
        CHECK(deviation_of(c, c.make(inputs)).of_allowed() <= 1);
      }
    }
  }
}

TEST_CASE("Free shapes: every preset has some of each function, and --check takes fewer rows of them",
          "[unit]") {
  std::vector<std::string> presets{"tiny", "base", "odd"};
  for (const ModelSizes& model : language_models()) presets.push_back(model.name);
  for (const std::string& preset : presets) {
    const Scope scope = scope_of(preset, kF32);
    for (const std::string& fn : free_functions()) {
      INFO(preset << " " << fn);
      const std::vector<Case> cases = free_cases(scope, fn);
      REQUIRE_FALSE(cases.empty());
      for (const Case& c : cases) CHECK(with_fewer_rows(scope, c).work.flops <= c.work.flops);
    }
  }
  std::string choices = "tiny|base|odd";
  for (const ModelSizes& model : language_models()) choices += "|" + model.name;
  CHECK(tools::default_options("xformer-bench").at("preset").choices == choices);
}

TEST_CASE("Sweep: lists and ranges are multiplied out, the last size first", "[unit]") {
  const auto shapes = [](const std::string& text) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (const Extents& e : sweep_from(text).combinations({"N", "D"}, "softmax"))
      pairs.emplace_back(size_of(e, "N"), size_of(e, "D"));
    return pairs;
  };
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  CHECK(shapes("N=4096,D=128") == Pairs{{4096, 128}});
  CHECK(shapes("D=3,N=1,2") == Pairs{{1, 3}, {2, 3}});
  CHECK(shapes("N=2,3,D=1:9:*3") == Pairs{{2, 1}, {2, 3}, {2, 9}, {3, 1}, {3, 3}, {3, 9}});
  CHECK(shapes("N=1,D=64:200:+64") == Pairs{{1, 64}, {1, 128}, {1, 192}});
  CHECK(sweep_from("N=1,F=2 gelu").variant == "gelu");
  CHECK(free_cases(scope_in(DType::f32), "bias_activation_forward", sweep_from("N=1,F=2 gelu")).size() == 1);
}

TEST_CASE("Sweep: what is wrong is told", "[unit]") {
  const auto told = [](const std::string& text, const std::string& fn = "softmax_forward") {
    try {
      free_cases(scope_in(DType::f32), fn, sweep_from(text));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK_THAT(told("N=x,D=1"), Contains("'x' in 'N=x' is no size"));
  CHECK_THAT(told("N=0,D=1"), Contains("whole numbers from 1"));
  CHECK_THAT(told("N=99999999999999999999,D=1"), Contains("is no size"));
  CHECK_THAT(told("N=1"), Contains("softmax_forward needs D too"));
  CHECK_THAT(told("N=4,N=5,D=8"), Contains("N twice; write N=4,5"));
  CHECK_THAT(told("N=1,D=2,K=3"), Contains("has no size K") && Contains("its sizes are N, D"));
  CHECK_THAT(told("5,N=1,D=2"), Contains("'5' has no name"));
  CHECK_THAT(told("N=1:8,D=2"), Contains("is no range"));
  CHECK_THAT(told("N=8:1:*2,D=2"), Contains("ends before it begins"));
  CHECK_THAT(told("N=1:8:*1,D=2"), Contains("would never end"));
  CHECK_THAT(told("N=1:5000:+1,D=2"), Contains("more than 1000 shapes"));
  CHECK_THAT(told("N=1,F=2 gleu", "bias_activation_forward"), Contains("gelu, relu, swish"));
  CHECK_THAT(told("N=1,D=1", "sort"), Contains("its shapes are not free to choose"));
  CHECK_THAT(told("N=1,D=1", "softmax_forwrad"), Contains("did you mean 'softmax_forward'"));
}

TEST_CASE("Sweep: sizes that no memory holds are refused before anything is made", "[unit]") {
  Request request;
  request.fn = "softmax_forward";
  request.shape = "N=4294967296,D=4294967296";
  request.target = {Device::cpu(), DType::f32};
  CHECK_THROWS_WITH(choice_of(request), Contains("4294967296x4294967296 needs 1.48e+11 GB"));
}

TEST_CASE("Shared calls: inputs change with each renewal, and outputs are NaN again", "[unit]") {
  const Signature& signature = *find_signature("layer_norm_forward");
  const Case c = small_cases(signature, DType::f32)[0];
  SharedCalls calls(c, signature, 0, 3);
  REQUIRE(calls.size() == 3);
  const auto x = [&](size_t i) { return tests::as_doubles(calls.call(i).operands.tensor("x")); };
  const std::vector<double> first = x(0);
  CHECK(first != x(1));
  calls.call(0).run();
  CHECK(std::isfinite(tests::as_doubles(calls.call(0).outputs[0].tensor)[0]));
  calls.renew();
  CHECK(first != x(0));
  CHECK(std::isnan(tests::as_doubles(calls.call(0).outputs[0].tensor)[0]));
  CHECK(calls.damage(0).empty());
}

TEST_CASE("Shared calls: a write behind an argument, before all or into an input is noticed, of each",
          "[unit]") {
  for (const Signature& signature : signatures()) {
    const Case c = small_cases(signature, DType::f32)[0];
    SharedCalls calls(c, signature, 0, 2);
    for (const Argument& argument : signature.arguments) {
      INFO(signature.fn << " " << argument.name);
      const Tensor& tensor = calls.call(1).operands.tensor(argument.name);
      auto* const bytes = static_cast<unsigned char*>(tensor.raw());
      unsigned char& behind = bytes[tensor.bytes()];
      REQUIRE(calls.damage(1).empty());
      behind = 0;
      CHECK(calls.damage(1) == "it wrote behind " + std::string(argument.name));
      CHECK(calls.damage(0).empty());
      behind = 0xFF;
      bytes[0] ^= 1;
      CHECK(calls.damage(1) ==
            (argument.use == Use::read ? "it changed its input " + std::string(argument.name) : ""));
      bytes[0] ^= 1;
    }
  }
}

TEST_CASE("Shared calls: where the definition is slow, ours stands in, with the same inputs", "[unit]") {
  const Signature& signature = *find_signature("layer_norm_forward");
  Case c = small_cases(signature, DType::f32)[0];
  const double flops = c.work.flops;
  SharedCalls calls(c, signature, 0, 1);
  REQUIRE_FALSE(calls.definition_is_slow());
  const Expected definition = calls.expected(0);
  c.work.flops = 1e12;
  REQUIRE(calls.definition_is_slow());
  const Expected ours = calls.expected(0);
  REQUIRE(ours.size() == definition.size());
  for (size_t i = 0; i < ours.size(); ++i) CHECK(tests::max_relative_error(ours[i], definition[i]) < 1e-5);
  c.work.flops = flops;
}

}  // namespace
}  // namespace xf::bench
