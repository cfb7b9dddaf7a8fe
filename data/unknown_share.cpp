#include "data/unknown_share.h"

namespace xf::data {

UnknownCount::UnknownCount(const Tokenizer& tokenizer) : unk_(tokenizer.unk_id()) {
  for (int32_t id = 0; space_ < 0 && id < tokenizer.size(); ++id) {
    if (tokenizer.piece(id) == "\u2581") space_ = id;
  }
}

void UnknownCount::add(std::span<const int32_t> ids) {
  for (const int32_t id : ids) {
    tokens_ += id != space_;
    unknown_ += id == unk_;
  }
}

double UnknownCount::share() const {
  return tokens_ == 0 ? 0 : static_cast<double>(unknown_) / static_cast<double>(tokens_);
}

}  // namespace xf::data
