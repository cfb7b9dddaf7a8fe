// Vocabularies that a user brings, in the formats of the toolkits that wrote them.
#include <fmt/format.h>

#include "tests/fuzz/structured/format.h"
#include "tests/fuzz/structured/model_files.h"

namespace xf::fuzz {

namespace {

const std::vector<std::string> kWords = {"<unk>", "<s>", "</s>", "the", "dog", "@@s", "\u2581a"};

std::string with_counts(Damage& damage) {
  std::string text;
  for (const std::string& word : kWords) {
    for (int left = damage.times(); left > 0; --left)
      text += fmt::format("{} {}\n", damage.text(word), static_cast<int64_t>(damage.number(7)));
  }
  return text;
}

std::string one_a_line(Damage& damage) {
  std::string text = damage.happens() ? "#words " + damage.text("icu") + "\n" : "";
  for (const std::string& word : kWords) {
    for (int left = damage.times(); left > 0; --left) text += damage.text(word) + damage.text("\n");
  }
  return text;
}

std::string yaml(Damage& damage) {
  std::string text;
  for (size_t id = 0; id < kWords.size(); ++id) {
    for (int left = damage.times(); left > 0; --left)
      text += fmt::format("\"{}\": {}\n", damage.text(kWords[id]), static_cast<int64_t>(damage.number(id)));
  }
  return text;
}

}  // namespace

void make_list(Damage& damage, const std::string& folder) {
  switch (damage.below(4)) {
    case 0: return put(damage, folder, "dict.txt", with_counts(damage));
    case 1: return put(damage, folder, "vocab.txt", one_a_line(damage));
    case 2: return put(damage, folder, "vocab.yml", yaml(damage));
    default: return put(damage, folder, "vocab.json", json_pieces(damage, kWords));
  }
}

}  // namespace xf::fuzz
