// Trains as a configuration file of xformer-train says: train CONFIG
#include <xformer/xformer.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: train CONFIG\n", 2;
  xf::train({"-c", argv[1]});
} catch (const std::exception& error) {
  return std::cerr << "error: " << error.what() << '\n', 1;
}
