# What tests/prose.sh finds in pages: perl prose.pl [--measure] WORDS PAGE...
# A block (paragraph, list item, heading, table cell) ends its last sentence. Code blocks, HTML comments, pictures and the
# targets of links are skipped. Inline code and an inline formula count as one word each. The mean of a page is taken
# over paragraphs and list items; table cells and headings are checked for long sentences and house words alone.
use strict;
use warnings;
use utf8;
binmode STDOUT, ':utf8';

use constant {MEAN => 20, LONGEST => 40, COLUMNS => 120, LINES => 400, README_LINES => 100};
my $abbreviation = qr/^[("']*(?:e\.g|i\.e|cf|vs|et al|al|etc|approx|ca|Fig|Figs|Sec|Eq|Eqs|Dr|Mr|Ms|St|resp|\p{L})\.$/;

my $measure = @ARGV && $ARGV[0] eq '--measure' && shift;
my @house_words = read_house_words(shift);
my $findings = 0;

sub read_lines {
  my ($path) = @_;
  open my $file, '<:utf8', $path or do { print STDERR "error: $path: $!\n"; exit 2 };
  chomp(my @lines = <$file>);
  return @lines;
}

sub read_house_words {  # lines of REGEX, tab, what to say instead
  my ($path) = @_;
  my @words;
  for (read_lines($path)) {
    next if /^#|^\s*$/;
    my ($regex, $instead) = split /\t+/;
    defined $instead or do { print STDERR "error: $path: no tab in: $_\n"; exit 2 };
    push @words, [qr/\b(?:$regex)\b/i, $instead];
  }
  return @words;
}

# Text without what is not read as words, on as many lines.
sub without_markup {
  my ($text) = @_;
  my $as = sub { my ($word, $instead_of) = @_; $word . "\n" x ($instead_of =~ tr/\n//) };
  $text =~ s/!\[[^\]]*\]\([^)]*\)/$as->('', $&)/ge;                              # pictures
  $text =~ s/(`+)(?:(?!\1).)+\1(?!`)/$as->('`…`', $&)/gse;                        # code
  $text =~ s/\$[^\$\s](?:[^\$]*[^\$\s])?\$(?!\d)/$as->('$…$', $&)/ge;             # formulas
  $text =~ s/\]\([^)]*\)|\]\[[^\]]*\]/$as->(']', $&)/ge;                          # links
  $text =~ s/<(?:https?:[^>]*)>/URL/g;
  $text =~ s/<[^>]+>/$as->('', $&)/ge;
  $text =~ s/[\[\]]|\*+|(?<!\w)_+|_+(?!\w)//g;
  return $text;
}

sub in_words {  # [kind, [text, line], ...] as [kind, [word, line], ...]
  my ($kind, @pieces) = @{$_[0]};
  my @text = split /\n/, without_markup(join "\n", map { $_->[0] } @pieces), -1;
  my @words;
  for my $i (0 .. $#pieces) {
    push @words, map { [$_, $pieces[$i][1]] } grep { length } split /\s+/, $text[$i] // '';
  }
  return [$kind, @words];
}

# The blocks of a page: [kind, [word, line], ...], kind being text, heading or cell.
sub blocks_of {
  my (@lines) = @_;
  my (@blocks, $open, $fence, $comment, $in_list, $in_table, $formula);
  my $blank = 1;
  my $begin = sub { push @blocks, $open = [$_[0]] };
  my $add = sub { push @$open, [@_] };  # text, line
  for my $i (0 .. $#lines) {
    my $text = $lines[$i];
    my $number = $i + 1;
    if (defined $fence) { undef $fence if $text =~ /^\s*\Q$fence\E+\s*$/; next }
    if ($comment) { next unless $text =~ s/^.*?-->//; $comment = 0; next if $text =~ /^\s*$/ }
    $text =~ s/<!--.*?-->//g and $text =~ /^\s*$/ and next;
    $comment = 1 if $text =~ s/<!--.*$//;
    if ($text =~ /^\s*(```+|~~~+)/) { $fence = $1; undef $open; $blank = 1; next }
    if ($text =~ /^\s*\$\$/) { $formula = !$formula if $text !~ /^\s*\$\$.*\$\$\s*$/; undef $open; next }
    next if $formula;
    $text =~ s/^\s{0,3}>\s?//;
    if ($text =~ /^\s*$/) { undef $open; $blank = 1; $in_table = 0; next }
    if ($blank && !$in_list && $text =~ /^(?: {4}|\t)/) { next }  # indented code; $blank stays
    if ($text =~ /^\[[^\]]+\]:\s/) { next }
    if ($text =~ /^#{1,6}\s+(.*)/) {
      $begin->('heading');
      $add->($1, $number);
      undef $open;
      ($in_list, $blank) = (0, 1);
      next;
    }
    if ($text =~ /^\s*\|/ || $in_table) {
      $in_table = 1;
      next if $text =~ /^[\s|:-]+$/;
      $text =~ s/\\\|/\x{a6}/g;
      $text =~ s/(`+)(?:(?!\1).)+\1/`…`/g;
      for my $cell (split /\|/, $text) { $begin->('cell'); $add->($cell, $number) }
      undef $open;
      next;
    }
    if ($text =~ s/^\s*(?:[-*+]|\d+[.)])\s+//) { $begin->('text'); $in_list = 1 }
    elsif ($blank) { $in_list = 0 unless $text =~ /^\s/; $begin->('text') }
    elsif (!$open) { $begin->('text') }
    $add->($text, $number);
    $blank = 0;
  }
  return grep { @$_ > 1 } map { in_words($_) } @blocks;
}

sub ends_sentence {  # of [word, line] and the next
  my ($word, $next) = map { $_->[0] } @_;
  return 0 if $word !~ /[.!?…][)"'’”»]*$/ || $word =~ $abbreviation;
  return 0 if $word =~ /(?:\.\.\.|…)[)"'’”»]*$/ && $next !~ /^["'(“«]?\p{Lu}/;
  return 1;
}

# Sentences of a block: [number of words, line, text].
sub sentences_of {
  my (undef, @words) = @{$_[0]};
  my (@sentences, @current);
  for my $i (0 .. $#words) {
    push @current, $words[$i];
    next if $i < $#words && !ends_sentence(@words[$i, $i + 1]);
    my $count = grep { $_->[0] =~ /[\p{L}\p{N}`\$]/ } @current;
    push @sentences, [$count, $current[0][1], join ' ', map { $_->[0] } @current] if $count;
    @current = ();
  }
  return @sentences;
}

my @found;  # of one page: [line, what]
sub found {  # line, what
  my (@finding) = @_;
  push @found, \@finding;
}

sub print_found {
  my ($page) = @_;
  print "$page:$_->[0]: $_->[1]\n" for sort { $a->[0] <=> $b->[0] } @found;
  $findings += @found;
  @found = ();
}

sub check_words {
  my ($block) = @_;
  my (undef, @words) = @$block;
  my $text = '';
  my @line_at;
  for (@words) {
    $text .= ' ' if length $text;
    $line_at[length $text] = $_->[1];
    $text .= $_->[0];
  }
  for (@house_words) {
    my ($regex, $instead) = @$_;
    while ($text =~ /$regex/g) {
      my ($at, $word) = ($-[0], $&);
      $at-- until defined $line_at[$at];
      found($line_at[$at], "house word \"$word\": $instead");
    }
  }
}

# A long address cannot be broken and does not count.
sub check_columns {
  my ($lines, $blocks) = @_;
  my %prose;
  for (@$blocks) {
    my ($kind, @words) = @$_;
    if ($kind eq 'text') { $prose{$_->[1]} = 1 for @words }
  }
  for my $line (sort { $a <=> $b } keys %prose) {
    (my $text = $lines->[$line - 1]) =~ s/\]\(https?:[^)]*\)|<https?:[^>]*>/]/g;
    found($line, length($text) . ' columns, at most ' . COLUMNS) if length $text > COLUMNS;
  }
}

printf "%-44s %9s %5s %7s %5s\n", 'page', 'sentences', 'mean', 'longest', 'lines' if $measure;
for my $page (@ARGV) {
  my @lines = read_lines($page);
  my @blocks = blocks_of(@lines);
  my ($sentences, $words, $longest) = (0, 0, 0);
  for my $block (@blocks) {
    for (sentences_of($block)) {
      my ($count, $line, $text) = @$_;
      if ($block->[0] eq 'text') { $sentences++; $words += $count }
      $longest = $count if $count > $longest;
      next if $count <= LONGEST;
      found($line, "$count words in a sentence, at most " . LONGEST . ': ' . substr($text, 0, 60) . '…');
    }
    check_words($block);
  }
  my $mean = $sentences ? $words / $sentences : 0;
  found(1, sprintf 'sentences have %.1f words on average, at most %d', $mean, MEAN) if $mean > MEAN;
  check_columns(\@lines, \@blocks);
  my $generated = grep { /^<!-- generated\b/i } @lines[0 .. ($#lines < 9 ? $#lines : 9)];
  my $limit = $page =~ m{(?:^|/)README\.md$} && $page !~ m{(?:^|/)docs/} ? README_LINES : LINES;
  found(scalar @lines, @lines . " lines, at most $limit") if @lines > $limit && !$generated;
  printf "%-44s %9d %5.1f %7d %5d\n", $page, $sentences, $mean, $longest, scalar @lines if $measure;
  print_found($page) unless $measure;
}
exit($findings ? 1 : 0);
