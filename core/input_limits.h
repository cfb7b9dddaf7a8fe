// How much a file that somebody else wrote may ask for. A few bytes can name any size; what is
// larger than these is refused by name, before anything is made of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xf::limits {

// Bytes of a line of text: a book's chapter, of which a model reads its first thousands of words.
inline constexpr size_t kLongestLine = size_t{1} << 20;
// Bytes of a vocabulary's piece: what SentencePiece learns from lines of at most. Its library
// follows a piece by recursion, byte by byte.
inline constexpr size_t kLongestPiece = 4192;
inline constexpr int64_t kMostPieces = int64_t{1} << 20;  // of a vocabulary; the largest in use
                                                          // have 256,000
// Bytes of a list of pieces, or of settings; of what an archive has deflated. Read, JSON and YAML
// take some 30 times as many.
inline constexpr size_t kLongestText = size_t{16} << 20, kLongestDeflatedText = size_t{4} << 20;
inline constexpr int64_t kLongestSentence =
    kMostPieces;                              // tokens that a model may claim to have been trained
                                              // with
inline constexpr int64_t kMostLayers = 1000;  // of a side
inline constexpr int64_t kWidest = 65536;     // of a model
inline constexpr int64_t kWidestFeedForward = 16 * kWidest;
inline constexpr int64_t kMostArrays = int64_t{1} << 18;  // of a file of weights: those of as many
                                                          // layers
inline constexpr size_t kLongestName = 4096;              // bytes, of one of them

}  // namespace xf::limits
