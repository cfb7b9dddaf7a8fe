#!/usr/bin/env bash
# Man pages and completions, as man and the shells use them. What a shell or man would say is only asked where it is there.
#   option_pages.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
pages=$(cd "$programs/../share/pages" && pwd) || exit 1

# complete PROGRAM WORDS...: what bash offers for the last of the words.
complete_words() {
  (
    # shellcheck source=/dev/null
    . "$pages/bash-completion/completions/$1"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    "_${1//-/_}"
    echo "${COMPREPLY[*]}"
  )
}

for path in "$programs"/xformer-*; do
  program=$(basename "$path")
  claim "$program: has a man page" test -s "$pages/man/man1/$program.1"
  claim "$program: bash reads its completion" bash -n "$pages/bash-completion/completions/$program"
  claim "$program: zsh's and fish's are there" \
    test -s "$pages/zsh/site-functions/_$program" -a -s "$pages/fish/vendor_completions.d/$program.fish"
done

claim "bash completes an option" equal "$(complete_words xformer-train --label)" --label-smoothing
claim "and the words that it takes" equal "$(complete_words xformer-train --norm p)" "post pre"
claim "the presets" equal "$(complete_words xformer-train --task transformer-)" "transformer-tiny transformer-base"
claim "a command" equal "$(complete_words xformer-vocab enc)" encode
claim "an option of that command" equal "$(complete_words xformer-vocab train --char)" --character-coverage
claim "not those of another" equal "$(complete_words xformer-vocab encode --char)" ""
claim "of a program that also works without a command: both" \
  equal "$(complete_words xformer-score sm) $(complete_words xformer-score bleu --smooth-m)" "smiles --smooth-method"
formats="ctranslate2 hf-marian safetensors text xformer"
claim "the words that a command takes first" equal "$(complete_words xformer-export to "")" "$formats"
claim "also behind an option and its value" equal "$(complete_words xformer-export to -m run "")" "$formats"
claim "not as an option's value" equal "$(complete_words xformer-export to -m "")" ""
claim "not a second time" equal "$(complete_words xformer-export to ctranslate2 "")" ""
claim "ops" equal "$(complete_words xformer-explain op softm)" softmax
claim "subjects" equal "$(complete_words xformer-explain flow dec)" decoding
claim "what published models get wrong" equal "$(complete_words xformer-explain quirk Q12)" Q12
claim "metrics beside commands" equal "$(complete_words xformer-score "")" \
  "table lm smiles bleu chrf ter tutorial-bleu --help --version --build-info"
claim "behind the metric come files" equal "$(complete_words xformer-score bleu "")" ""
claim "leaves file names to the shell" equal "$(complete_words xformer-train -t tra)" ""

if command -v man >/dev/null; then
  shown() { MANWIDTH=100 man -l --warnings "$pages/man/man1/$1.1" 2>warnings; }
  claim "man shows every option of xformer-train" sh -c "[ \"\$1\" -gt 50 ]" - "$(shown xformer-train | grep -cE '^ +(-[a-z]+, )*--')"
  claim "and warns of nothing" equal "$(cat warnings)" ""
else
  echo "not asked: there is no man on this machine"
fi
if command -v zsh >/dev/null; then
  for file in "$pages"/zsh/site-functions/*; do claim "zsh reads $(basename "$file")" zsh -n "$file"; done
else
  echo "not asked: there is no zsh on this machine"
fi
if command -v fish >/dev/null; then
  for file in "$pages"/fish/vendor_completions.d/*; do claim "fish reads $(basename "$file")" fish -n "$file"; done
  offered() { fish -c "source $pages/fish/vendor_completions.d/xformer-train.fish; complete -C '$1'" | cut -f1 | tr '\n' ' '; }
  to() { fish -c "source $pages/fish/vendor_completions.d/xformer-export.fish; complete -C '$1'" | cut -f1 | tr '\n' ' '; }
  claim "fish completes the words that a command takes" equal "$(to 'xformer-export to ')" "$formats "
  claim "fish completes the words of an option" equal "$(offered 'xformer-train --norm p')" "post pre "
else
  echo "not asked: there is no fish on this machine"
fi
conclude
