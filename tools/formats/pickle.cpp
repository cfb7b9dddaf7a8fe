#include "tools/formats/pickle.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/input_limits.h"

namespace xf::tools::exchange {

namespace {

using Kind = Pickled::Kind;

constexpr int kDeepest = 32;  // a value's nesting: it is destroyed by recursion
constexpr size_t kMostCopied = size_t{1} << 26;
// An instruction of a byte makes a value of a hundred. A tensor takes some 25 of them.
constexpr size_t kMostMade = size_t{1} << 21;
constexpr size_t kMostAxes = 16, kLongestKey = 128;  // of a tensor and of a storage, whose keys are
                                                     // numbers

}  // namespace

void PickleReader::refuse(const std::string& why) const {
  fail(ErrorKind::data, "{}: not a file of tensors as torch.save() writes it: {}; save it as safetensors",
       path_, why);
}

std::string_view PickleReader::take(uint64_t count) {
  if (count > rest_.size()) refuse("it ends too early");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::string_view PickleReader::line() {
  const size_t end = rest_.find('\n');
  if (end == std::string_view::npos) refuse("a name does not end");
  return take(end + 1).substr(0, end);
}

template <typename T>
T PickleReader::number() {
  T value;
  std::memcpy(&value, take(sizeof value).data(), sizeof value);
  return value;
}

void PickleReader::count() {
  if (++made_ > kMostMade) refuse(fmt::format("it makes more than {} values", kMostMade));
}

void PickleReader::push(Pickled value) {
  count();
  for (const PickledPtr& item : value.items) value.depth = std::max(value.depth, item->depth + 1);
  if (value.depth > kDeepest) refuse("it is nested too deep");
  stack_.push_back(std::make_shared<Pickled>(std::move(value)));
}

PickledPtr PickleReader::pop() {
  if (stack_.empty() || (!marks_.empty() && stack_.size() == marks_.back())) refuse("its stack is empty");
  PickledPtr value = std::move(stack_.back());
  stack_.pop_back();
  return value;
}

std::vector<PickledPtr> PickleReader::pop_to_mark() {
  if (marks_.empty()) refuse("a mark is missing");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<PickledPtr> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleReader::push_list(std::vector<PickledPtr> items) {
  push({.kind = Kind::list, .text = {}, .items = std::move(items)});
}

void PickleReader::remember(uint64_t place) {
  if (stack_.empty()) refuse("its stack is empty");
  count();
  memo_[place] = stack_.back();
}

void PickleReader::recall(uint64_t place) {
  const auto found = memo_.find(place);
  if (found == memo_.end()) refuse("it recalls a value that it never stored");
  count();
  stack_.push_back(found->second);
}

// Lists and dictionaries are made empty and filled. What was remembered of one, to be put into
// another, is a value and stays empty: torch.save() recalls names and storages only.
void PickleReader::append_to(std::vector<PickledPtr> items) {
  const PickledPtr before = pop();
  if (before->kind != Kind::list && before->kind != Kind::dictionary)
    refuse("it fills a value that is not a list");
  if (before->kind == Kind::dictionary && items.size() % 2 != 0) refuse("a key has no value");
  copied_ += before->items.size();
  if (copied_ > kMostCopied) refuse("it fills too long a list piece by piece");
  Pickled filled = *before;
  filled.items.insert(filled.items.end(), items.begin(), items.end());
  push(std::move(filled));
}

// _rebuild_tensor_v2(storage, place, shape, strides, requires_grad, hooks)
PickledPtr PickleReader::tensor_of(const Pickled& arguments) const {
  const auto& items = arguments.items;
  const auto is_numbers = [](const PickledPtr& list) {
    return list->kind == Kind::list && list->items.size() <= kMostAxes &&
           std::ranges::all_of(list->items,
                               [](const PickledPtr& item) { return item->kind == Kind::integer; });
  };
  if (items.size() < 4 || items[0]->kind != Kind::storage || items[1]->kind != Kind::integer ||
      !is_numbers(items[2]) || !is_numbers(items[3]) || items[2]->items.size() != items[3]->items.size())
    refuse("a tensor is not made as usual");
  return std::make_shared<Pickled>(Pickled{.kind = Kind::tensor,
                                           .integer = items[1]->integer,
                                           .text = {},
                                           .items = {items[0], items[2], items[3]},
                                           .depth = 4});
}

void PickleReader::call() {
  const PickledPtr arguments = pop(), function = pop();
  if (function->kind != Kind::name || arguments->kind != Kind::list)
    refuse("it calls a value that is not a function");
  if (function->text == "collections OrderedDict") {
    push({.kind = Kind::dictionary, .text = {}, .items = {}});
  } else if (function->text == "torch._utils _rebuild_tensor_v2") {
    stack_.push_back(tensor_of(*arguments));
  } else if (function->text == "torch._utils _rebuild_parameter" && !arguments->items.empty()) {
    stack_.push_back(arguments->items.front());
  } else {
    refuse(fmt::format("it calls {}", function->text));
  }
}

// ('storage', type, key, device, elements, ...)
void PickleReader::persistent() {
  const PickledPtr id = pop();
  const auto& items = id->items;
  if (id->kind != Kind::list || items.size() < 5 || items[0]->text != "storage" ||
      items[1]->kind != Kind::name || items[2]->kind != Kind::text || items[2]->text.size() > kLongestKey)
    refuse("a storage is not named as usual");
  push({.kind = Kind::storage, .text = items[2]->text, .items = {items[1]}});
}

// The instructions that put a number, a text or a name on the stack, by their numbers, with their
// names in pickletools.
bool PickleReader::push_value(unsigned char instruction) {
  const auto text = [&](std::string_view value) {
    if (value.size() > limits::kLongestName) refuse("a name is too long");
    push({.kind = Kind::text, .text = std::string(value), .items = {}});
  };
  const auto integer = [&](int64_t value) {
    push({.kind = Kind::integer, .integer = value, .text = {}, .items = {}});
  };
  switch (instruction) {
    case 'N': push({.text = {}, .items = {}}); break;           // NONE
    case 'G': take(8), push({.text = {}, .items = {}}); break;  // BINFLOAT
    case 0x88: integer(1); break;                               // NEWTRUE
    case 0x89: integer(0); break;                               // NEWFALSE
    case 'K': integer(number<uint8_t>()); break;                // BININT1
    case 'M': integer(number<uint16_t>()); break;               // BININT2
    case 'J': integer(number<int32_t>()); break;                // BININT
    case 0x8a: {                                                // LONG1
      const std::string_view digits = take(number<uint8_t>());
      int64_t value = digits.empty() || digits.back() >= 0 ? 0 : -1;
      // The magic number in front of older files is longer; nobody looks at it.
      std::memcpy(&value, digits.data(), std::min(digits.size(), sizeof value));
      integer(value);
      break;
    }
    case 'X': text(take(number<uint32_t>())); break;  // BINUNICODE
    case 0x8c: text(take(number<uint8_t>())); break;  // SHORT_BINUNICODE
    case 'T': text(take(number<uint32_t>())); break;  // BINSTRING
    case 'U': text(take(number<uint8_t>())); break;   // SHORT_BINSTRING
    case 'c': {                                       // GLOBAL
      const std::string module(line()), name(line());
      if (module.size() + name.size() > limits::kLongestName) refuse("a name is too long");
      push({.kind = Kind::name, .text = module + " " + name, .items = {}});
      break;
    }
    default: return false;
  }
  return true;
}

// Those that make lists and dictionaries, tuples among the lists.
bool PickleReader::push_container(unsigned char instruction) {
  const auto tuple = [&](size_t count) {
    std::vector<PickledPtr> items(count);
    for (size_t i = count; i > 0; --i) items[i - 1] = pop();
    push_list(std::move(items));
  };
  switch (instruction) {
    case ')':
    // EMPTY_TUPLE, EMPTY_LIST
    case ']': push_list({}); break;
    case '}': push({.kind = Kind::dictionary, .text = {}, .items = {}}); break;  // EMPTY_DICT
    case '(': count(), marks_.push_back(stack_.size()); break;                   // MARK
    case 't':
    case 'l': push_list(pop_to_mark()); break;  // TUPLE, LIST
    case 0x85: tuple(1); break;                 // TUPLE1
    case 0x86: tuple(2); break;                 // TUPLE2
    case 0x87: tuple(3); break;                 // TUPLE3
    case 'a': {                                 // APPEND
      const PickledPtr item = pop();
      append_to({item});
      break;
    }
    case 's': {  // SETITEM
      const PickledPtr value = pop(), key = pop();
      append_to({key, value});
      break;
    }
    case 'e':
    case 'u': append_to(pop_to_mark()); break;  // APPENDS, SETITEMS
    default: return false;
  }
  return true;
}

void PickleReader::execute(unsigned char instruction) {
  if (push_value(instruction) || push_container(instruction)) return;
  switch (instruction) {
    case 0x80: take(1); return;                     // PROTO
    case 0x95: take(8); return;                     // FRAME
    case 'q': return remember(number<uint8_t>());   // BINPUT
    case 'r': return remember(number<uint32_t>());  // LONG_BINPUT
    case 0x94: return remember(memo_.size());       // MEMOIZE
    case 'h': return recall(number<uint8_t>());     // BINGET
    case 'j': return recall(number<uint32_t>());    // LONG_BINGET
    case 'Q': return persistent();                  // BINPERSID
    case 'R': return call();                        // REDUCE
    case 'b': pop(); return;  // BUILD: a dictionary's own attributes, which nobody looks at
    default: refuse(fmt::format("instruction {:#04x}", instruction));
  }
}

PickledPtr PickleReader::read() {
  constexpr unsigned char kStop = '.';
  stack_.clear(), marks_.clear(), memo_.clear();
  for (auto next = number<unsigned char>(); next != kStop; next = number<unsigned char>()) execute(next);
  return pop();
}

}  // namespace xf::tools::exchange
