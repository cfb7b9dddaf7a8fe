// Reverse-mode differentiation by a tape. Linnainmaa 1970; Griewank, Walther 2008, "Evaluating
// derivatives", ch. 3.
//
// A Variable is a value and a slot for its gradient. Running an op forward records a Node: which
// slots it read, which it made, and the closure that turns the gradients of its outputs into those
// of its inputs (TP1). backward() runs the closures in reverse order of recording. That is all:
// what the derivative *is* stands in the closure, written by hand.
//
//   - What a closure needs from forward it captures as Tensors; memory returns to the arena as soon
//     as the last closure that holds it has run.
//   - A value read by several nodes gets the sum of their gradients (TP2), added in reverse
//     recording order.
//   - Gradients of leaves (parameters) are accumulated into memory the caller owns; all others live
//     in the arena.
// Not thread-safe. One tape per step.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/arena.h"
#include "kernels/matmul.h"

namespace xf::autograd {

using kernels::Accumulate;

// Where the gradient of one value is gathered.
struct GradientSlot {
  Tensor gradient;     // undefined until the first contribution arrives
  bool ready = false;  // gradient holds at least one contribution (always, for a leaf)
  Shape shape;
  DType dtype = DType::f32;
  bool root = false;  // see Tape::record_root
  // A view of some columns of another value: its gradient is those columns of the other's gradient.
  std::shared_ptr<GradientSlot> parent;
  size_t view = 0;  // which of the parent's views this is
  struct View {
    int64_t begin, end;
    bool ready;
  };
  std::vector<View> views;

  void mark_ready() {
    ready = true;
    if (parent) parent->views[view].ready = true;
  }
};

class Variable {
 public:
  Variable() = default;
  Variable(Tensor value, std::shared_ptr<GradientSlot> slot = nullptr)
      : value_(std::move(value)), slot_(std::move(slot)) {}

  const Tensor& value() const { return value_; }
  bool differentiable() const { return slot_ != nullptr; }
  const std::shared_ptr<GradientSlot>& slot() const { return slot_; }

 private:
  Tensor value_;
  std::shared_ptr<GradientSlot> slot_;  // null: a constant
};

// What a backward closure sees.
class Gradients {
 public:
  Gradients(Arena& arena, const std::vector<std::shared_ptr<GradientSlot>>& inputs,
            const std::vector<std::shared_ptr<GradientSlot>>& outputs)
      : arena_(arena), inputs_(inputs), outputs_(outputs) {}

  // The gradient of output i; undefined where nothing that depends on the output was
  // differentiated.
  Tensor of_output(size_t i = 0) const;
  bool wanted(size_t input) const { return inputs_[input] != nullptr; }

  // Memory for the gradient of an input, to be written in full. Added to what is there when the
  // closure returns.
  Tensor written(size_t input);
  // The same for a kernel that writes all of its gradients, wanted or not: scratch shaped like the
  // input `x` where nobody wants it.
  Tensor written(size_t input, const Tensor& x);
  // For a kernel that accumulates a parameter's gradient: what is there, zeroed if that is nothing
  // yet, or scratch.
  Tensor summed(size_t input, const Tensor& x);
  // The same for ops that can add by themselves (a matrix product): add when `accumulate` says yes.
  struct Destination {
    Tensor tensor;
    Accumulate accumulate;
  };
  Destination accumulated(size_t input);
  // Hands over a tensor that already is the gradient of the input (of the shape, from the arena);
  // no copy if it is the first contribution.
  void give(size_t input, const Tensor& gradient);

  // Scratch for the closure itself.
  Arena& arena() const { return arena_; }

 private:
  friend class Tape;
  void finish();

  Arena& arena_;
  const std::vector<std::shared_ptr<GradientSlot>>& inputs_;
  const std::vector<std::shared_ptr<GradientSlot>>& outputs_;
  std::vector<std::pair<Tensor, Tensor>> sums_;  // (contribution, gradient it is added to)
};

using Backward = std::function<void(Gradients&)>;

// Who watches a tape at work: xformer-explain, a test. Nodes are numbered from 0 as they are
// recorded. What it is shown is the tape's own: to look at, and to copy if it is to stay. Backward
// calls, for a node that no gradient reached, released() alone.
class TapeObserver {
 public:
  virtual ~TapeObserver() = default;
  // Inputs without a slot are constants; a view's slot names its parent.
  virtual void recorded(std::string_view name, const std::vector<Variable>& inputs,
                        const std::vector<Variable>& outputs) = 0;
  // The closure is about to run. Gradients of outputs that nothing differentiated, and a root's,
  // are undefined.
  virtual void reached(size_t node, const std::vector<Tensor>& output_gradients) = 0;
  // The node is gone, and what it alone held.
  virtual void released(size_t node) = 0;
};

class Tape {
 public:
  // inference: nothing is recorded, and values go as soon as they are out of use.
  enum class Mode { record, inference };

  explicit Tape(Arena& arena, Mode mode = Mode::record) : arena_(arena), mode_(mode) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  ~Tape();

  bool recording() const { return mode_ == Mode::record; }
  Arena& arena() const { return arena_; }
  Tensor allocate(Shape shape, DType dtype) const { return arena_.allocate(shape, dtype); }

  // A value whose gradient is accumulated into `gradient`: same shape, of the dtype or of its
  // accumulator's.
  Variable leaf(const Tensor& value, const Tensor& gradient) const;
  // Columns begin..end-1 of a matrix. A value is read either whole or through disjoint views that
  // cover it.
  Variable columns(const Variable& whole, int64_t begin, int64_t end) const;

  // Records a node with one output, or several. `name`, of the op or block, is not copied: a
  // literal, or what lives as long as the model.
  Variable record(std::string_view name, const Tensor& value, const std::vector<Variable>& inputs,
                  Backward backward);
  std::vector<Variable> record(std::string_view name, const std::vector<Tensor>& values,
                               const std::vector<Variable>& inputs, Backward backward);
  // A value at which the computation ends, a fused loss: its node made the gradients of its inputs
  // on the way forward, while it had what they take, as d value / d value = 1 makes them. It has no
  // gradient from above to multiply by, so an op that reads the value is refused, and so is any
  // other seed.
  Variable record_root(std::string_view name, const Tensor& value, const std::vector<Variable>& inputs,
                       Backward backward);

  // From now on tells `observer`, which must outlive the tape; null, as a tape begins: nobody, for
  // a comparison or two per node.
  void observe(TapeObserver* observer) { observer_ = observer; }

  // Runs all that is recorded, last to first, joins the side stream and empties the tape. `seed`:
  // output's gradient.
  void backward(const Variable& output, const Tensor& seed) { backward(std::vector{output}, {seed}); }
  // Of several values; an undefined seed is that of one which nothing depends on.
  void backward(const std::vector<Variable>& outputs, const std::vector<Tensor>& seeds);
  // From a root: the seed is 1.
  void backward(const Variable& root);
  size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::string_view name;
    std::vector<std::shared_ptr<GradientSlot>> inputs, outputs;
    Backward backward;
  };
  void run(Node& node);
  void run_all();
  void show_reached(const Node& node) const;

  Arena& arena_;
  Mode mode_;
  TapeObserver* observer_ = nullptr;
  std::vector<Node> nodes_;
};

}  // namespace xf::autograd
