#include "data/smiles/writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/smiles/canonical.h"

namespace xf::data::smiles {
namespace {

class Writer {
 public:
  Writer(const Molecule& molecule, const std::vector<size_t>& ranks)
      : molecule_(molecule), ranks_(ranks), nodes_(ranks.size()) {}

  std::string write() {
    const auto first = static_cast<size_t>(std::ranges::find(ranks_, size_t{0}) - ranks_.begin());
    visit(first, first);
    write_from(first);
    return std::move(text_);
  }

 private:
  // An atom's bonds as depth-first search meets them: those of the tree, and those that close a
  // ring.
  struct Node {
    std::vector<Neighbour> children, rings;
    bool visited = false;
  };

  static bool holds(const std::vector<Neighbour>& list, size_t atom) {
    return std::ranges::find(list, atom, &Neighbour::atom) != list.end();
  }

  void visit(size_t atom, size_t parent) {
    nodes_[atom].visited = true;
    auto neighbours = molecule_.atoms[atom].neighbours;
    std::ranges::sort(neighbours, {}, [&](const Neighbour& next) { return ranks_[next.atom]; });
    for (const auto& [next, order] : neighbours) {
      if (!nodes_[next].visited) {
        nodes_[atom].children.push_back({next, order});
        visit(next, atom);
      } else if (next != parent && !holds(nodes_[atom].rings, next)) {
        nodes_[atom].rings.push_back({next, order});
        nodes_[next].rings.push_back({atom, order});
      }
    }
  }

  void write_bond(size_t from, const Neighbour& to) {
    if (to.order == BondOrder::two) text_ += '=';
    if (to.order == BondOrder::three) text_ += '#';
    const bool aromatic = molecule_.atoms[from].aromatic && molecule_.atoms[to.atom].aromatic;
    if (to.order == BondOrder::one && aromatic) text_ += '-';
  }

  void write_number(size_t number) {
    text_ += number < 10 ? fmt::format("{}", number) : fmt::format("%{}", number);
  }

  // Numbers that end here are free for the atoms that follow, not for a ring that begins here:
  // CC11CC1 would be hard to read.
  void write_rings(size_t atom) {
    std::vector<size_t> ended;
    for (const Neighbour& other : nodes_[atom].rings) {
      if (const auto open = open_.find({other.atom, atom}); open != open_.end()) {
        write_number(open->second);
        ended.push_back(open->second);
        continue;
      }
      size_t number = 1;
      while (used_.contains(number)) ++number;
      used_.insert(number);
      open_[{atom, other.atom}] = number;
      write_bond(atom, other);
      write_number(number);
    }
    for (const size_t number : ended) used_.erase(number);
  }

  void write_from(size_t atom) {
    const auto& [element, aromatic, neighbours] = molecule_.atoms[atom];
    text_ += aromatic ? facts(element).aromatic : facts(element).symbol;
    write_rings(atom);
    const auto& children = nodes_[atom].children;
    for (size_t i = 0; i < children.size(); ++i) {
      const bool branch = i + 1 < children.size();
      if (branch) text_ += '(';
      write_bond(atom, children[i]);
      write_from(children[i].atom);
      if (branch) text_ += ')';
    }
  }

  const Molecule& molecule_;
  const std::vector<size_t>& ranks_;
  std::vector<Node> nodes_;
  std::map<std::pair<size_t, size_t>, size_t> open_;  // the numbers of rings, by first and last
                                                      // atom
  std::set<size_t> used_;
  std::string text_;
};

}  // namespace

std::string write_smiles(const Molecule& molecule, const std::vector<size_t>& ranks) {
  return Writer(molecule, ranks).write();
}

std::string canonical_smiles(const Molecule& molecule) {
  return write_smiles(molecule, canonical_ranks(molecule));
}

}  // namespace xf::data::smiles
