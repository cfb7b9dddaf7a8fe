// How good is a model? Translates the lines of SRC and compares with those of REF: evaluate RUN SRC
// REF
#include <xformer/xformer.h>

#include <cmath>
#include <fstream>
#include <iostream>

static xf::Lines read(const char* path) {
  std::ifstream file(path);
  xf::Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int main(int argc, char** argv) try {
  if (argc != 4) return std::cerr << "usage: evaluate RUN SRC REF\n", 2;
  const xf::Lines sources = read(argv[2]), references = read(argv[3]);
  xf::Translator translator(argv[1]);
  for (const char* metric : {"bleu", "chrf", "ter"})
    std::cout << xf::score(metric, translator.translate(sources), {references}).text << '\n';

  double sum = 0, tokens = 0;
  for (const std::vector<double>& line : translator.score(sources, references)) {
    for (const double log_probability : line) sum += log_probability;
    tokens += static_cast<double>(line.size());
  }
  std::cout << "perplexity of the references " << std::exp(-sum / tokens) << '\n';
} catch (const std::exception& error) {
  return std::cerr << "error: " << error.what() << '\n', 1;
}
