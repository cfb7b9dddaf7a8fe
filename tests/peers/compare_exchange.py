#!/usr/bin/env python3
"""Runs what xformer-export wrote with the programs that it was written for:

    python compare_exchange.py PROGRAMS RUN LINES FOLDER [MOST_PIECES, 256]

FOLDER holds RUN, exported: `ctranslate2`, `ctranslate2-float16` and `ctranslate2-int8`, or `hf-marian`, or all. LINES are
translated by xformer-translate with RUN and by CTranslate2 and transformers with the exports, greedily and with a beam of
5, and of 4. Lines that our search had to cut at MOST_PIECES are left out. Prints a line for each claim and exits with 1 if one does
not hold; says which program was left out, because it is not installed.
"""
import json
import math
import pathlib
import subprocess
import sys

programs, run, lines_file, folder = sys.argv[1:5]
most_pieces = int(sys.argv[5]) if len(sys.argv) > 5 else 256
folder = pathlib.Path(folder)
lines = pathlib.Path(lines_file).read_text(encoding="utf-8").splitlines()
failures = 0


def claim(text, holds, detail=""):
    global failures
    failures += not holds
    print(f"{'ok     ' if holds else 'FAILED '} {text}{'  (' + detail + ')' if detail else ''}", flush=True)


def translate(model, beam, *more):
    """[(pieces, log-probabilities, score)] of xformer-translate."""
    output = subprocess.run(
        [f"{programs}/xformer-translate", "-m", model, "-i", lines_file, "-b", str(beam), "--n-best", "--word-scores",
         "--no-spm-decode", "--quiet", *more], check=True, capture_output=True, text=True).stdout
    best = {}
    for line in output.splitlines():
        number, pieces, scores, _, score = line.split(" ||| ")
        best.setdefault(int(number), (pieces.split(" "), [float(s) for s in scores.split()[1:]], float(score)))
    return [best[i] for i in range(len(lines))]


def largest(differences):
    return max(differences, default=math.inf)


def compare_ctranslate2():
    import ctranslate2
    import sentencepiece
    exported = folder / "ctranslate2"
    files = [exported / name for name in ("vocab.source.spm", "vocab.target.spm")]
    source, target = (sentencepiece.SentencePieceProcessor(str(file if file.exists() else exported / "vocab.spm"))
                      for file in files)
    config = json.loads((exported / "config.json").read_text())
    tokens = [source.encode(line, out_type=str) for line in lines]
    banned = dict(disable_unk=True, suppress_sequences=config["suppress_sequences"])

    def of_translator(translator, beam):
        results = translator.translate_batch(tokens, beam_size=beam, length_penalty=1, max_decoding_length=most_pieces,
                                             max_batch_size=64, return_scores=True, **banned)
        return [result.hypotheses[0] for result in results]

    translator = ctranslate2.Translator(str(exported), device="cpu", compute_type="float32", intra_threads=2)
    for beam in (1, 5):
        ours = translate(run, beam)
        theirs = of_translator(translator, beam)
        ended = [i for i, (pieces, scores, _) in enumerate(ours) if len(scores) == len(pieces) + 1]
        claim(f"beam {beam}: of {len(lines)} lines {len(ended)} end", len(ended) >= 0.9 * len(lines))
        scored = translator.score_batch(tokens, [pieces for pieces, _, _ in ours], max_batch_size=64)
        different = [i for i in ended if ours[i][0] != theirs[i]]
        scored_theirs = translator.score_batch([tokens[i] for i in different], [theirs[i][:most_pieces - 1] for i in different])
        # It shares the probability of what it suppresses among the rest, so that a beam may find a near tie the other way.
        gap = max((abs(ours[i][2] - sum(score.log_probs) / len(score.log_probs))
                   for i, score in zip(different, scored_theirs)), default=0)
        claim(f"CTranslate2 {ctranslate2.__version__}, beam {beam}: the pieces of each line, near ties apart",
              len(different) <= 0.02 * len(lines) * (beam > 1) and gap < 0.01,
              f"{len(different)} differ, by scores up to {gap:.1g} apart")
        apart = largest([abs(a - b) for i in ended for a, b in zip(ours[i][1], scored[i].log_probs)])
        claim(f"CTranslate2, beam {beam}: a token's log-probability within 2e-5, of {len(ended)} lines", apart <= 2e-5,
              f"{apart:.1e}, six digits are printed")
        apart = largest([abs(ours[i][2] - sum(scored[i].log_probs) / len(scored[i].log_probs)) for i in ended])
        claim(f"CTranslate2, beam {beam}: a translation's score within 1e-5", apart <= 1e-5, f"{apart:.1e}")
    for name, most in (("float16", 0.02), ("int8", 0.5)):
        smaller = ctranslate2.Translator(str(folder / f"ctranslate2-{name}"), device="cpu", intra_threads=2)
        scored = smaller.score_batch(tokens, [pieces for pieces, _, _ in ours], max_batch_size=64)
        apart = largest([abs(a - b) for i in ended for a, b in zip(ours[i][1], scored[i].log_probs)])
        different = sum(a[0] != b for a, b in zip(ours, of_translator(smaller, 5)))
        claim(f"CTranslate2, {name}: loads, log-probabilities within {most}", apart <= most,
              f"{apart:.1e}; {different} of {len(lines)} translations with a beam of 5 differ")
        hypotheses = folder / f"{name}.txt"
        hypotheses.write_text("".join(target.decode(pieces) + "\n" for pieces in of_translator(smaller, 5)))


def compare_transformers():
    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    exported = str(folder / "hf-marian")
    tokenizer = transformers.MarianTokenizer.from_pretrained(exported)
    model, loading = transformers.MarianMTModel.from_pretrained(exported, output_loading_info=True)
    model.eval()
    claim(f"transformers {transformers.__version__}: loads, and no tensor is left over or missing",
          not loading["unexpected_keys"] and not loading["missing_keys"] and not loading["mismatched_keys"],
          str({key: value for key, value in loading.items() if value}))
    ours = translate(run, 1)
    ended = {i for i, (pieces, scores, _) in enumerate(ours) if len(scores) == len(pieces) + 1}
    apart = 0.0
    for begin in range(0, len(lines), 50):
        batch = tokenizer(lines[begin:begin + 50], return_tensors="pt", padding=True)
        ids = [tokenizer.convert_tokens_to_ids(pieces) for pieces, _, _ in ours[begin:begin + 50]]
        if tokenizer.separate_vocabs:
            ids = [[tokenizer.target_encoder[piece] for piece in pieces] for pieces, _, _ in ours[begin:begin + 50]]
        longest = max(len(row) for row in ids)
        start = model.config.decoder_start_token_id
        given = torch.tensor([[start] + row + [model.config.pad_token_id] * (longest - len(row)) for row in ids])
        with torch.no_grad():
            log_probs = model(**batch, decoder_input_ids=given).logits.log_softmax(-1)
        for i, (row, (_, scores, _)) in enumerate(zip(ids, ours[begin:begin + 50])):
            for place, (token, score) in enumerate(zip(row + [model.config.eos_token_id], scores)):
                apart = max(apart, abs(log_probs[i, place, token].item() - score))
    claim("transformers: a token's log-probability within 1e-4", apart <= 1e-4, f"{apart:.1e}")
    for beam in (1, 4):  # everything else as generation_config.json says
        texts = subprocess.run([f"{programs}/xformer-translate", "-m", run, "-i", lines_file, "-b", str(beam), "--quiet"],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        different = []
        for begin in range(0, len(lines), 50):
            batch = tokenizer(lines[begin:begin + 50], return_tensors="pt", padding=True)
            with torch.no_grad():
                generated = model.generate(**batch, num_beams=beam, max_length=256)
            decoded = tokenizer.batch_decode(generated, skip_special_tokens=True, use_source_tokenizer=False)
            different += [begin + i for i, text in enumerate(decoded) if text != texts[begin + i] and begin + i in ended]
        claim(f"transformers, beam {beam}: the text of {len(ended)} lines of {len(lines)} that end", ended and not different,
              f"{len(different)} differ, the first in line {different[0] + 1}" if different else "")


present = [name for name in ("ctranslate2", "hf-marian") if (folder / name).exists()]
claim(f"exported: {' and '.join(present)}", bool(present))
for name, compare in (("ctranslate2", compare_ctranslate2), ("hf-marian", compare_transformers)):
    try:
        if name in present:
            compare()
    except ImportError as error:
        print(f"left out: {error}")
sys.exit(failures > 0)
