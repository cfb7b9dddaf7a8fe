// Translates the lines of the standard input: translate RUN
#include <xformer/xformer.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: translate RUN\n", 2;
  xf::Translator translator(argv[1]);
  for (std::string line; std::getline(std::cin, line);)
    std::cout << translator.translate({line}).front() << '\n';
}
