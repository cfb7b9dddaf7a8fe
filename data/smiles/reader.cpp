#include "data/smiles/reader.h"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <regex>

#include "data/smiles/valence.h"

namespace xf::data::smiles {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ReadMolecule read() {
    while (at_ < text_.size() && fault_.empty()) next();
    if (fault_.empty()) end();
    if (fault_.empty()) settle_unwritten_bonds();
    if (fault_.empty()) fault_ = chemical_fault(molecule_);
    return {std::move(molecule_), std::move(fault_), unread_};
  }

 private:
  enum class Last { nothing, atom, ring, bond, open, close };
  struct RingOpening {
    size_t atom;
    std::optional<BondOrder> bond;
  };

  void refuse(std::string_view what) { fault_ = fmt::format("character {}: {}", at_ + 1, what); }

  void leave_unread(std::string_view what) {
    unread_ = true;
    refuse(fmt::format("{}: not read", what));
  }

  void next() {
    const char c = text_[at_];
    if (c == '[' && bracket_length() > 0) return leave_unread("an atom in brackets");
    if (const std::string_view what = unread_sign(); !what.empty()) return leave_unread(what);
    if (c == '(') return open();
    if (c == ')') return close();
    if (c == '-') return bond(BondOrder::one);
    if (c == '=') return bond(BondOrder::two);
    if (c == '#') return bond(BondOrder::three);
    if (c == ':') return bond(BondOrder::aromatic);
    if (c == '%' || is_digit(at_)) return ring();
    atom();
  }

  // OpenSMILES' grammar beyond this reader's, where something of it may stand.
  std::string_view unread_sign() const {
    const bool follows_atom = last_ == Last::atom || last_ == Last::ring || last_ == Last::close;
    switch (text_[at_]) {
      case '.': return follows_atom ? "a molecule of several parts" : "";
      case '/':
      case '\\': return follows_atom || last_ == Last::open ? "the direction of a bond" : "";
      case '$': return follows_atom || last_ == Last::open ? "a quadruple bond" : "";
      case '*': return "an unknown atom";
      case '%':
        return text_.substr(at_).starts_with("%(") && rings_may_follow_ ? "a ring's number in parentheses"
                                                                        : "";
      default: return "";
    }
  }

  // Of "[" isotope? symbol chirality? hydrogens? charge? class? "]" with any symbol of letters; 0
  // if it is none.
  size_t bracket_length() const {
    static const std::regex bracket(
        R"(\[[0-9]*(\*|[A-Z][a-z]?|[a-z][a-z]?)(@[A-Z0-9@]*)?(H[0-9]*)?([-+]+[0-9]*)?(:[0-9]+)?\])");
    std::cmatch match;
    const char* const begin = text_.data() + at_;
    return std::regex_search(begin, text_.data() + text_.size(), match, bracket,
                             std::regex_constants::match_continuous)
               ? static_cast<size_t>(match.length())
               : 0;
  }

  void atom() {
    const auto [element, aromatic, length] = symbol();
    if (length == 0)
      return refuse("is neither an atom without brackets nor a bond, a branch or a ring's number");
    if (molecule_.atoms.size() == kMostAtoms)
      return leave_unread(fmt::format("more than {} atoms", kMostAtoms));
    const size_t atom = molecule_.add(element, aromatic);
    if (last_ != Last::nothing) join(previous_, atom, bond_);
    if (!fault_.empty()) return;
    bond_.reset();
    previous_ = atom;
    rings_may_follow_ = true;
    advance(Last::atom, length);
  }

  struct Symbol {
    Element element;
    bool aromatic;
    size_t length;  // 0: no symbol begins here
  };
  // The longest one: Cl and Br before C and B.
  Symbol symbol() const {
    Symbol best{};
    for (size_t i = 0; i < std::size(kElements); ++i) {
      for (const bool aromatic : {false, true}) {
        const std::string_view name = aromatic ? kElements[i].aromatic : kElements[i].symbol;
        if (name.size() > best.length && text_.substr(at_).starts_with(name))
          best = {static_cast<Element>(i), aromatic, name.size()};
      }
    }
    return best;
  }

  void join(size_t a, size_t b, std::optional<BondOrder> written) {
    const bool aromatic = molecule_.atoms[a].aromatic && molecule_.atoms[b].aromatic;
    const BondOrder order = written.value_or(aromatic ? BondOrder::aromatic : BondOrder::one);
    if (order == BondOrder::aromatic && !aromatic) return refuse("an aromatic bond joins aromatic atoms");
    molecule_.bond(a, b, order);
    if (aromatic && !written) unwritten_.emplace_back(a, b);
  }

  // A single bond between aromatic rings need not be written. It is a bridge, and what it becomes
  // changes no ring.
  void settle_unwritten_bonds() {
    for (const auto& [a, b] : unwritten_) {
      if (!in_aromatic_ring(molecule_, a, b)) molecule_.set_order(a, b, BondOrder::one);
    }
  }

  void bond(BondOrder order) {
    if (last_ == Last::nothing || last_ == Last::bond) return refuse("a bond must follow an atom");
    bond_ = order;
    advance(Last::bond);
  }

  void ring() {
    const size_t length = text_[at_] == '%' ? 3 : 1;
    if (length == 3 && !(is_digit(at_ + 1) && is_digit(at_ + 2))) return refuse("two digits follow %");
    if (!rings_may_follow_) return refuse("a ring's number must follow its atom, before any branch");
    const int number = length == 3 ? 10 * digit(at_ + 1) + digit(at_ + 2) : digit(at_);
    const auto opening = rings_.find(number);
    if (opening == rings_.end()) {
      rings_.emplace(number, RingOpening{previous_, bond_});
    } else {
      close_ring(opening->second);
      rings_.erase(opening);
    }
    bond_.reset();
    if (fault_.empty()) advance(Last::ring, length);
  }

  void close_ring(const RingOpening& opening) {
    if (opening.atom == previous_) return refuse("a ring would join an atom with itself");
    if (molecule_.bonded(opening.atom, previous_))
      return refuse("a ring would join two atoms that are joined already");
    if (opening.bond && bond_ && opening.bond != bond_)
      return refuse("a ring has two different bonds at its ends");
    join(opening.atom, previous_, opening.bond ? opening.bond : bond_);
  }

  void open() {
    if (last_ == Last::nothing || last_ == Last::bond || last_ == Last::open)
      return refuse("a branch must follow an atom");
    branches_.push_back(previous_);
    rings_may_follow_ = false;
    advance(Last::open);
  }

  void close() {
    if (branches_.empty()) return refuse("no branch is open here");
    if (last_ == Last::open) return refuse("a branch is empty");
    if (last_ == Last::bond) return refuse("an atom must follow a bond");
    previous_ = branches_.back();
    branches_.pop_back();
    rings_may_follow_ = false;
    advance(Last::close);
  }

  void end() {
    if (last_ == Last::nothing) return refuse("no atom");
    if (last_ == Last::bond) return refuse("an atom must follow a bond");
    if (!branches_.empty()) return refuse("a branch is not closed");
    if (!rings_.empty()) return refuse(fmt::format("ring {} is not closed", rings_.begin()->first));
  }

  bool is_digit(size_t at) const { return at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; }
  int digit(size_t at) const { return text_[at] - '0'; }
  void advance(Last what, size_t characters = 1) {
    last_ = what;
    at_ += characters;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string fault_;
  bool unread_ = false;
  Molecule molecule_;
  Last last_ = Last::nothing;
  size_t previous_ = 0;            // the atom that the next one is bonded to
  std::optional<BondOrder> bond_;  // written, and not used yet
  bool rings_may_follow_ = false;
  std::vector<size_t> branches_;  // the atoms where open branches began
  std::map<int, RingOpening> rings_;
  std::vector<std::pair<size_t, size_t>> unwritten_;  // bonds between aromatic atoms
};

}  // namespace

ReadMolecule read_smiles(std::string_view text) { return Reader(text).read(); }

}  // namespace xf::data::smiles
