"""Sentences of a few words, SentencePiece models of them, and xformer-translate's answers, for random models of other toolkits."""
import random
import subprocess

import sentencepiece

WORDS = {"en": "the a old small dog cat horse house sees runs sleeps and near green quickly never my your river tree".split(),
         "de": "der die das alte kleine hund katze pferd haus sieht läuft schläft und bei grün schnell nie mein fluss baum".split()}
failures = 0


def claim(text, holds, detail=""):
    global failures
    failures += not holds
    print(f"{'ok     ' if holds else 'FAILED '} {text}{'  (' + detail + ')' if detail else ''}", flush=True)


def sentences(language, number, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS[language], k=rng.randint(1, 8))) + rng.choice(".!?") for _ in range(number)]


def train_pieces(path, language, size, kind="unigram"):
    """-> the pieces of a new SentencePiece model, without its special ones."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(language, 400, language)), model_writer=open(path, "wb"), vocab_size=size,
        model_type=kind, normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, minloglevel=2)
    model = sentencepiece.SentencePieceProcessor(str(path))
    return [model.id_to_piece(i) for i in range(3, model.get_piece_size())]


def translations(programs, model, lines_file, beam, most_pieces, *more):
    """-> for each line its hypotheses, best first: [(pieces, their log-probabilities and that of </s> if it ends)]"""
    output = subprocess.run(
        [f"{programs}/xformer-translate", "-m", model, "-i", lines_file, "-b", str(beam), "--normalize", "1", "--n-best", "--word-scores",
         "--no-spm-decode", "--quiet", "--max-length", str(most_pieces), "--max-length-factor", "1000", "--cpu-threads", "1", *more],
        check=True, capture_output=True, text=True).stdout
    found = {}
    for line in output.splitlines():
        number, pieces, scores, _, _ = line.split(" ||| ")
        found.setdefault(int(number), []).append((pieces.split(), [float(x) for x in scores.split()[1:]]))
    return [found[i] for i in range(len(found))]
