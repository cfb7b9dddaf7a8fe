// Pairs of neighbours in a graph.
#pragma once

#include <cstddef>
#include <vector>

namespace xf::data::smiles {

// Whether all nodes can be paired, each with one of its neighbours. neighbours[i]: of node i; each
// edge is in both lists. Edmonds 1965, "Paths, trees, and flowers": cubic in the nodes, whatever
// the graph.
bool has_perfect_matching(const std::vector<std::vector<size_t>>& neighbours);

}  // namespace xf::data::smiles
