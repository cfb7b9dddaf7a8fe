#include "nn/registry.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("Registry: parameters lie in one flat array and their gradients in one of the same layout",
          "[unit]") {
  Registry registry;
  const Parameter& a = registry.add("a", {3, 5}, Init::ones());
  const Parameter& b = registry.add("b", {7}, Init::zeros());
  CHECK_FALSE(a.value.defined());
  registry.allocate(Device::cpu(), Registry::Gradients::yes);
  registry.initialise(1);
  CHECK(registry.count() == 22);
  CHECK(registry.values().numel() == registry.gradients().numel());
  CHECK(a.value.shape() == Shape{3, 5});
  const auto place = [](const Tensor& part, const Tensor& whole) {
    return part.data<float>() - whole.data<float>();
  };
  CHECK(place(a.value, registry.values()) == place(a.gradient, registry.gradients()));
  CHECK(place(b.value, registry.values()) == place(b.gradient, registry.gradients()));
  CHECK(place(b.value, registry.values()) % 16 == 0);  // a cache line
  CHECK(place(b.value, registry.values()) >= 15);
  double sum = 0;  // padding is zero
  for (const float value : registry.values().to_vector<float>()) sum += static_cast<double>(value);
  CHECK(sum == 15);
}

TEST_CASE("Registry: without gradients there are none", "[unit]") {
  Registry registry;
  const Parameter& a = registry.add("a", {3, 5}, Init::ones());
  registry.allocate(Device::cpu(), Registry::Gradients::no);
  CHECK(a.value.defined());
  CHECK_FALSE(a.gradient.defined());
}

TEST_CASE("Registry: names are unique and known and fixed once allocated", "[unit]") {
  Registry registry;
  registry.add("a", {3}, Init::ones());
  CHECK_THROWS_AS(registry.add("a", {4}, Init::ones()), Error);
  CHECK(registry.find("a").shape == Shape{3});
  CHECK_THROWS_AS(registry.find("b"), Error);
  registry.allocate(Device::cpu(), Registry::Gradients::no);
  CHECK_THROWS_AS(registry.add("c", {4}, Init::ones()), Error);
}

TEST_CASE("Registry: no two dropout sites share a number", "[unit]") {
  Registry registry;
  const uint32_t first = registry.new_dropout_site(), second = registry.new_dropout_site();
  CHECK(first != second);
}

TEST_CASE("Init: Xavier's bound and the distributions' moments", "[unit]") {
  // Uniform in +-b: |x| <= b, variance b^2 / 3. Normal: the variance asked for, kurtosis 3.
  const Init xavier = Init::xavier(200, 100);
  CHECK(xavier.scale == Approx(std::sqrt(6.0 / 300)));
  Registry registry;
  const Parameter& uniform = registry.add("uniform", {100, 200}, xavier);
  const Parameter& normal = registry.add("normal", {100, 200}, Init::normal(0.5f));
  registry.allocate(Device::cpu(), Registry::Gradients::no);
  registry.initialise(3);
  const auto moment = [](const Parameter& parameter, int power) {
    double sum = 0;
    for (const double value : as_doubles(parameter.value)) sum += std::pow(value, power);
    return sum / static_cast<double>(parameter.shape.numel());
  };
  double largest = 0;
  for (const double value : as_doubles(uniform.value)) largest = std::max(largest, std::abs(value));
  CHECK(largest <= static_cast<double>(xavier.scale));
  CHECK(largest > 0.99 * static_cast<double>(xavier.scale));
  CHECK(std::abs(moment(uniform, 1)) < 0.005);
  CHECK(moment(uniform, 2) == Approx(0.02 / 3).epsilon(0.05));
  CHECK(std::abs(moment(normal, 1)) < 0.02);
  CHECK(moment(normal, 2) == Approx(0.25).epsilon(0.05));
  CHECK(moment(normal, 4) / std::pow(moment(normal, 2), 2) == Approx(3).epsilon(0.1));
}

TEST_CASE("Registry: a parameter's initial value depends on the seed and its place alone", "[unit]") {
  const auto initial = [](DType dtype, uint64_t seed, int others) {
    Registry registry(dtype);
    const Parameter& a = registry.add("a", {5, 7}, Init::xavier(5, 7));
    for (int i = 0; i < others; ++i) registry.add(fmt::format("other {}", i), {3}, Init::normal(1));
    registry.allocate(Device::cpu(), Registry::Gradients::no);
    registry.initialise(seed);
    return a.value;
  };
  const Tensor expected = initial(DType::f32, 1, 0);
  CHECK(same_bits(initial(DType::f32, 1, 4), expected));
  CHECK_FALSE(same_bits(initial(DType::f32, 2, 0), expected));
  CHECK(max_relative_error(initial(DType::f64, 1, 0), expected) <= 1e-7);
}
