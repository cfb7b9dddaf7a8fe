# Draws what bench/large_text.sh printed: memory and time of a start, by the size of the text.
#   gnuplot -e "table='bench/results/2026-11-25-large-text.txt'; chart='docs/figures/large_text.svg'" bench/large_text.gp
set terminal svg size 860,360 font "sans-serif,13" background "white"
set output chart
set multiplot layout 1,2
set logscale xy
set grid
set xrange [7e3:6e7]
set format x "10^{%L}"
set xlabel "pairs"
set key left top reverse Left

set title "memory of the process, MB"
set yrange [10:2000]
plot table skip 1 using 1:5 with linespoints pointtype 7 title "first start", \
  table skip 1 using 1:10 with linespoints pointtype 5 title "second start"

set title "time to the first update, s"
set yrange [0.05:3000]
plot table skip 1 using 1:4 with linespoints pointtype 7 title "first start", \
  table skip 1 using 1:9 with linespoints pointtype 5 title "second start"
