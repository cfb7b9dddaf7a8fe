#include "autograd/tape.h"

#include "core/side_stream.h"
#include "kernels/elementwise.h"

namespace xf::autograd {

namespace {

// The memory of a slot's gradient, allocated on first use; a view's lies inside its parent's.
Tensor& gradient_of(GradientSlot& slot, Arena& arena) {
  if (slot.gradient.defined()) return slot.gradient;
  if (slot.parent) {
    const auto& view = slot.parent->views[slot.view];
    slot.gradient = gradient_of(*slot.parent, arena).slice_columns(view.begin, view.end);
  } else {
    slot.gradient = arena.allocate(slot.shape, slot.dtype);
  }
  return slot.gradient;
}

// A whole that was read through views is ready when its views are; one that got nothing is zero.
void settle_views(GradientSlot& slot) {
  bool any = false;
  for (const auto& view : slot.views) any = any || view.ready;
  if (!any) return;
  XF_CHECK(!slot.ready, "tape: a value was read both whole and through views of its columns");
  int64_t covered = 0;
  for (const auto& view : slot.views) {
    if (!view.ready) kernels::fill_zero(slot.gradient.slice_columns(view.begin, view.end));
    covered += view.end - view.begin;
  }
  XF_CHECK(covered == slot.shape.width(),
           "tape: the views of a value cover {} of its {} columns; take them all", covered,
           slot.shape.width());
  slot.ready = true;
}

}  // namespace

Tensor Gradients::of_output(size_t i) const { return outputs_[i]->ready ? outputs_[i]->gradient : Tensor(); }

Tensor Gradients::written(size_t input) {
  GradientSlot& slot = *inputs_[input];
  const Tensor& gradient = gradient_of(slot, arena_);
  if (!slot.ready) {
    slot.mark_ready();
    return gradient;
  }
  sums_.emplace_back(arena_.allocate(slot.shape, slot.dtype), gradient);
  return sums_.back().first;
}

Tensor Gradients::written(size_t input, const Tensor& x) {
  return wanted(input) ? written(input) : arena_.allocate(x.shape(), x.dtype());
}

Tensor Gradients::summed(size_t input, const Tensor& x) {
  const Destination sum =
      wanted(input) ? accumulated(input)
                    : Destination{arena_.allocate(x.shape(), accumulator_of(x.dtype())), Accumulate::no};
  if (sum.accumulate == Accumulate::no) kernels::fill_zero(sum.tensor);
  return sum.tensor;
}

Gradients::Destination Gradients::accumulated(size_t input) {
  GradientSlot& slot = *inputs_[input];
  const Accumulate accumulate = slot.ready ? Accumulate::yes : Accumulate::no;
  slot.mark_ready();
  return {gradient_of(slot, arena_), accumulate};
}

void Gradients::give(size_t input, const Tensor& gradient) {
  GradientSlot& slot = *inputs_[input];
  XF_CHECK(gradient.shape() == slot.shape && gradient.dtype() == slot.dtype,
           "tape: a gradient must be {}, got {}", slot.shape.to_string(), gradient.shape().to_string());
  if (!slot.ready && !slot.parent) {
    slot.gradient = gradient;
    slot.mark_ready();
  } else if (!slot.ready) {
    kernels::copy(gradient, gradient_of(slot, arena_));
    slot.mark_ready();
  } else {
    sums_.emplace_back(gradient, slot.gradient);
  }
}

void Gradients::finish() {
  for (const auto& [contribution, sum] : sums_) kernels::add_in_place(contribution, sum);
  sums_.clear();
}

// Whatever ended a backward pass early.
Tape::~Tape() { join_side_stream(arena_.device()); }

Variable Tape::leaf(const Tensor& value, const Tensor& gradient) const {
  auto slot = std::make_shared<GradientSlot>();
  slot->gradient = gradient;
  slot->ready = true;
  slot->shape = value.shape();
  slot->dtype = gradient.dtype();
  return Variable(value, std::move(slot));
}

Variable Tape::columns(const Variable& whole, int64_t begin, int64_t end) const {
  const Tensor view = whole.value().slice_columns(begin, end);
  if (!whole.differentiable()) return Variable(view);
  GradientSlot& parent = *whole.slot();
  // of a leaf: a leaf
  if (parent.ready) return leaf(view, parent.gradient.slice_columns(begin, end));
  XF_CHECK(!parent.parent, "tape: a view of a view; take the columns of the whole");
  for (const auto& other : parent.views) {
    XF_CHECK(end <= other.begin || other.end <= begin,
             "tape: columns {}..{} overlap the view {}..{}; read that one twice", begin, end, other.begin,
             other.end);
  }
  auto slot = std::make_shared<GradientSlot>();
  slot->shape = view.shape();
  slot->dtype = view.dtype();
  slot->parent = whole.slot();
  slot->view = parent.views.size();
  parent.views.push_back({begin, end, false});
  return Variable(view, std::move(slot));
}

Variable Tape::record(std::string_view name, const Tensor& value, const std::vector<Variable>& inputs,
                      Backward backward) {
  return record(name, std::vector<Tensor>{value}, inputs, std::move(backward)).front();
}

std::vector<Variable> Tape::record(std::string_view name, const std::vector<Tensor>& values,
                                   const std::vector<Variable>& inputs, Backward backward) {
  std::vector<Variable> outputs;
  if (!recording()) {
    for (const Tensor& value : values) outputs.emplace_back(value);
    return outputs;
  }
  Node node;
  node.name = name;
  for (const Variable& input : inputs) {
    XF_CHECK(!input.slot() || !input.slot()->root,
             "tape: a fused loss ends the computation; to compute with a loss take autograd::cross_entropy");
    node.inputs.push_back(input.slot());
  }
  for (const Tensor& value : values) {
    auto slot = std::make_shared<GradientSlot>();
    slot->shape = value.shape();
    slot->dtype = value.dtype();
    node.outputs.push_back(slot);
    outputs.emplace_back(value, std::move(slot));
  }
  node.backward = std::move(backward);
  nodes_.push_back(std::move(node));
  if (observer_) observer_->recorded(name, inputs, outputs);
  return outputs;
}

Variable Tape::record_root(std::string_view name, const Tensor& value, const std::vector<Variable>& inputs,
                           Backward backward) {
  const Variable root = record(name, value, inputs, std::move(backward));
  if (root.slot()) root.slot()->root = true;
  return root;
}

void Tape::run(Node& node) {
  bool reached = false;
  for (const auto& output : node.outputs) {
    settle_views(*output);
    reached = reached || output->ready;
  }
  if (!reached) return;
  if (observer_) show_reached(node);
  Gradients gradients(arena_, node.inputs, node.outputs);
  node.backward(gradients);
  gradients.finish();
}

void Tape::backward(const std::vector<Variable>& outputs, const std::vector<Tensor>& seeds) {
  XF_CHECK(outputs.size() == seeds.size(), "tape: {} outputs need as many seeds, got {}", outputs.size(),
           seeds.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Variable& output = outputs[i];
    XF_CHECK(output.differentiable(), "tape: backward from a value that nothing recorded");
    if (!seeds[i].defined()) continue;
    XF_CHECK(seeds[i].shape() == output.value().shape(), "tape: the seed must be {}, got {}",
             output.value().shape().to_string(), seeds[i].shape().to_string());
    XF_CHECK(!output.slot()->root,
             "tape: the gradient of a fused loss is made for a seed of 1; give no other");
    output.slot()->gradient = seeds[i];
    output.slot()->ready = true;
  }
  run_all();
  join_side_stream(arena_.device());
}

void Tape::backward(const Variable& root) {
  XF_CHECK(root.slot() && root.slot()->root, "tape: this value is not a root; give the seed of its gradient");
  root.slot()->ready = true;
  run_all();
  join_side_stream(arena_.device());
}

// run() has taken the node off nodes_, whose size is its number.
void Tape::show_reached(const Node& node) const {
  std::vector<Tensor> gradients;
  for (const auto& output : node.outputs) gradients.push_back(output->ready ? output->gradient : Tensor());
  observer_->reached(size(), gradients);
}

void Tape::run_all() {
  while (!nodes_.empty()) {
    {
      // Popped first, so that what its closure saved is free as soon as it has run.
      Node node = std::move(nodes_.back());
      nodes_.pop_back();
      run(node);
    }
    if (observer_) observer_->released(size());
  }
}

}  // namespace xf::autograd
