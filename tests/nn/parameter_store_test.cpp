#include "nn/parameter_store.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/compare.h"

using namespace xf;
using namespace xf::nn;
using namespace xf::tests;

TEST_CASE("ParameterStore: parameters lie in one flat array and their gradients in one of the same layout",
          "[unit]") {
  ParameterStore store;
  const Parameter& a = store.add("a", {3, 5}, Init::ones());
  const Parameter& b = store.add("b", {7}, Init::zeros());
  CHECK_FALSE(a.value.defined());
  store.allocate(Device::cpu(), ParameterStore::Gradients::yes);
  store.initialise(1);
  CHECK(store.count() == 22);
  CHECK(store.values().numel() == store.gradients().numel());
  CHECK(a.value.shape() == Shape{3, 5});
  const auto place = [](const Tensor& part, const Tensor& whole) {
    return part.data<float>() - whole.data<float>();
  };
  CHECK(place(a.value, store.values()) == place(a.gradient, store.gradients()));
  CHECK(place(b.value, store.values()) == place(b.gradient, store.gradients()));
  CHECK(place(b.value, store.values()) % 16 == 0);  // a cache line
  CHECK(place(b.value, store.values()) >= 15);
  double sum = 0;  // padding is zero
  for (const float value : store.values().to_vector<float>()) sum += static_cast<double>(value);
  CHECK(sum == 15);
}

TEST_CASE("ParameterStore: without gradients there are none", "[unit]") {
  ParameterStore store;
  const Parameter& a = store.add("a", {3, 5}, Init::ones());
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  CHECK(a.value.defined());
  CHECK_FALSE(a.gradient.defined());
}

TEST_CASE("ParameterStore: names are unique and known and fixed once allocated", "[unit]") {
  ParameterStore store;
  store.add("a", {3}, Init::ones());
  CHECK_THROWS_AS(store.add("a", {4}, Init::ones()), Error);
  CHECK(store.find("a").shape == Shape{3});
  CHECK_THROWS_AS(store.find("b"), Error);
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  CHECK_THROWS_AS(store.add("c", {4}, Init::ones()), Error);
}

TEST_CASE("ParameterStore: no two dropout sites share a number", "[unit]") {
  ParameterStore store;
  const uint32_t first = store.new_dropout_site(), second = store.new_dropout_site();
  CHECK(first != second);
}

TEST_CASE("Init: Xavier's bound and the distributions' moments", "[unit]") {
  // Uniform in +-b: |x| <= b, variance b^2 / 3. Normal: the variance asked for, kurtosis 3.
  const Init xavier = Init::xavier(200, 100);
  CHECK(xavier.scale == Approx(std::sqrt(6.0 / 300)));
  ParameterStore store;
  const Parameter& uniform = store.add("uniform", {100, 200}, xavier);
  const Parameter& normal = store.add("normal", {100, 200}, Init::normal(0.5f));
  store.allocate(Device::cpu(), ParameterStore::Gradients::no);
  store.initialise(3);
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

TEST_CASE("ParameterStore: a parameter's initial value depends on the seed and its place alone", "[unit]") {
  const auto initial = [](DType dtype, uint64_t seed, int others) {
    ParameterStore store(dtype);
    const Parameter& a = store.add("a", {5, 7}, Init::xavier(5, 7));
    for (int i = 0; i < others; ++i) store.add(fmt::format("other {}", i), {3}, Init::normal(1));
    store.allocate(Device::cpu(), ParameterStore::Gradients::no);
    store.initialise(seed);
    return a.value;
  };
  const Tensor expected = initial(DType::f32, 1, 0);
  CHECK(same_bits(initial(DType::f32, 1, 4), expected));
  CHECK_FALSE(same_bits(initial(DType::f32, 2, 0), expected));
  CHECK(max_relative_error(initial(DType::f64, 1, 0), expected) <= 1e-7);
}
