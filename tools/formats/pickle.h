// The pickles that torch.save() writes of a dictionary of tensors, read and never executed: a
// pickle is a program for a machine with a stack, whose instructions may call any function of
// Python. Here the few that such files need are known, and of functions those that make a
// dictionary or a tensor; anything else is an error. Source: CPython's Lib/pickletools.py and
// PyTorch's torch/serialization.py, torch/_utils.py.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xf::tools::exchange {

struct Pickled;
using PickledPtr = std::shared_ptr<const Pickled>;

// A value, as far as files of tensors have them.
struct Pickled {
  enum class Kind { none, integer, text, list, dictionary, name, storage, tensor };
  Kind kind = Kind::none;  // also of what nobody here looks at: floats, states of objects
  int64_t integer = 0;     // flags, too; of a tensor its first element's place in the storage
  std::string text;        // of a storage its key
  // Of a list or tuple its items, of a dictionary keys and values in turn, of a storage its type's
  // name, of a tensor its storage, shape and strides.
  std::vector<PickledPtr> items;
  int depth = 0;  // of what is nested in it
};

class PickleReader {
 public:
  // Bytes of a pickle: some hundred for a tensor. In an older file the storages follow them.
  static constexpr uint64_t kLongest = uint64_t{16} << 20;

  PickleReader(std::string_view bytes, const std::string& path) : rest_(bytes), path_(path) {}

  // The next pickle, up to its end. Error data, naming `path`, for any other instruction or
  // function, and for what is cut off.
  PickledPtr read();
  // What lies behind it.
  std::string_view rest() const { return rest_; }

 private:
  void execute(unsigned char instruction);
  bool push_value(unsigned char instruction);      // whether it is one that does
  bool push_container(unsigned char instruction);  // likewise
  std::string_view take(uint64_t count);
  std::string_view line();
  template <typename T>
  T number();
  void push(Pickled value);
  PickledPtr pop();
  std::vector<PickledPtr> pop_to_mark();
  void push_list(std::vector<PickledPtr> items);
  void remember(uint64_t place);
  void recall(uint64_t place);
  void append_to(std::vector<PickledPtr> items);
  void call();
  PickledPtr tensor_of(const Pickled& arguments) const;
  void persistent();
  void count();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string_view rest_;
  const std::string& path_;
  std::vector<PickledPtr> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, PickledPtr> memo_;
  size_t copied_ = 0;  // items, by filling lists
  size_t made_ = 0;    // values and marks, and what is remembered or recalled
};

}  // namespace xf::tools::exchange
