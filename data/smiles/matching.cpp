#include "data/smiles/matching.h"

#include <numeric>
#include <queue>

namespace xf::data::smiles {
namespace {

constexpr size_t kNobody = static_cast<size_t>(-1);

// A search for an augmenting path from one node that has no partner: a tree of alternating paths,
// in which a cycle of odd length (a blossom) is taken for one node, its base.
class Search {
 public:
  Search(const std::vector<std::vector<size_t>>& neighbours, std::vector<size_t>& partner)
      : neighbours_(neighbours),
        partner_(partner),
        parent_(partner.size(), kNobody),
        base_(partner.size()),
        outer_(partner.size(), false) {
    std::iota(base_.begin(), base_.end(), size_t{0});
  }

  // Pairs one node more, or leaves all as they are.
  bool augment_from(size_t root) {
    enter(root);
    while (!open_.empty()) {
      const size_t node = open_.front();
      open_.pop();
      for (const size_t next : neighbours_[node]) {
        if (base_[node] == base_[next] || partner_[node] == next) continue;
        if (next == root || (partner_[next] != kNobody && parent_[partner_[next]] != kNobody)) {
          contract(node, next);
        } else if (parent_[next] == kNobody) {
          parent_[next] = node;
          if (partner_[next] == kNobody) return flip(next), true;
          enter(partner_[next]);
        }
      }
    }
    return false;
  }

 private:
  void enter(size_t node) {
    outer_[node] = true;
    open_.push(node);
  }

  // Pairs along the path from its end to the root, every second edge.
  void flip(size_t end) {
    while (end != kNobody) {
      const size_t before = parent_[end], next = partner_[before];
      partner_[end] = before;
      partner_[before] = end;
      end = next;
    }
  }

  // The base at which the paths of two outer nodes to the root meet.
  size_t common_base(size_t a, size_t b) const {
    std::vector<bool> seen(base_.size(), false);
    for (a = base_[a];; a = base_[parent_[partner_[a]]]) {
      seen[a] = true;
      if (partner_[a] == kNobody) break;  // the root
    }
    for (b = base_[b]; !seen[b];) b = base_[parent_[partner_[b]]];
    return b;
  }

  void mark_path(size_t node, size_t base, size_t child, std::vector<bool>& blossom) {
    for (; base_[node] != base; node = parent_[partner_[node]]) {
      blossom[base_[node]] = blossom[base_[partner_[node]]] = true;
      parent_[node] = child;
      child = partner_[node];
    }
  }

  void contract(size_t a, size_t b) {
    const size_t base = common_base(a, b);
    std::vector<bool> blossom(base_.size(), false);
    mark_path(a, base, b, blossom);
    mark_path(b, base, a, blossom);
    for (size_t node = 0; node < base_.size(); ++node) {
      if (!blossom[base_[node]]) continue;
      base_[node] = base;
      if (!outer_[node]) enter(node);
    }
  }

  const std::vector<std::vector<size_t>>& neighbours_;
  std::vector<size_t>& partner_;
  std::vector<size_t> parent_, base_;
  std::vector<bool> outer_;
  std::queue<size_t> open_;
};

}  // namespace

bool has_perfect_matching(const std::vector<std::vector<size_t>>& neighbours) {
  std::vector<size_t> partner(neighbours.size(), kNobody);
  for (size_t node = 0; node < neighbours.size(); ++node) {
    if (partner[node] == kNobody && !Search(neighbours, partner).augment_from(node)) return false;
  }
  return true;
}

}  // namespace xf::data::smiles
