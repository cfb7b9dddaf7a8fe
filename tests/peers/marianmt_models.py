#!/usr/bin/env python3
"""Random MarianMT models, translated by transformers and here, in both directions:

    pip install torch transformers sentencepiece && python marianmt_models.py PROGRAMS FOLDER [MODELS, 6]

Makes models of random sizes in FOLDER, as transformers saves them, some in several files. Compares, greedily and with a beam of
4, what transformers and xformer-translate make of a few lines with the model as it is; and with the model as xformer-export
writes it, whose generation_config.json is all that transformers is told. Of a beam, lines are compared of which no
translation was cut. Prints a line for each claim and exits with 1 if one does not hold.
"""
import json
import pathlib
import random
import subprocess
import sys

import random_text
import torch
import transformers
from random_text import claim, sentences, train_pieces

programs, folder = sys.argv[1], pathlib.Path(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 6
LINES, MOST_PIECES = 50, 30
transformers.logging.set_verbosity_error()
torch.set_num_threads(1)


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0), encoding="utf-8")


def ids(pieces):
    return {piece: i for i, piece in enumerate(["</s>", "<unk>"] + pieces + ["<pad>"])}


def make(home, seed):
    rng = random.Random(seed)
    home.mkdir(parents=True)
    kind, shared = rng.choice(["unigram", "bpe"]), rng.random() < 0.6
    source, target = (train_pieces(home / f"{side}.spm", language, size, kind) for side, language, size in
                      (("source", "en", 60), ("target", "de", 66)))
    if shared:
        source_ids = target_ids = ids(source + [piece for piece in target if piece not in source])
    else:
        most = min(len(source), len(target))
        source_ids, target_ids = ids(source[:most]), ids(target[:most])
        write_json(home / "target_vocab.json", target_ids)
    write_json(home / "vocab.json", source_ids)
    pad, heads = source_ids["<pad>"], rng.choice([1, 2, 4])
    ffn = rng.choice([12, 20, 32])
    config = transformers.MarianConfig(
        vocab_size=len(source_ids), decoder_vocab_size=len(target_ids), share_encoder_decoder_embeddings=shared,
        tie_word_embeddings=shared or rng.random() < 0.5, max_position_embeddings=64, scale_embedding=True, pad_token_id=pad,
        decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=None,
        d_model=heads * rng.choice([8, 10, 12]), encoder_layers=rng.randint(1, 3), decoder_layers=rng.randint(1, 3),
        encoder_attention_heads=heads, decoder_attention_heads=heads, encoder_ffn_dim=ffn, decoder_ffn_dim=ffn,
        activation_function=rng.choice(["swish", "relu", "gelu"]))
    torch.manual_seed(seed)
    model = transformers.MarianMTModel(config).eval()
    model.generation_config.bad_words_ids = [[pad], [source_ids["<unk>"]]]
    for name, parameter in model.named_parameters():
        if "embed_positions" not in name:
            is_norm = "layer_norm.weight" in name
            # Small embeddings, so that a token's own, tied, does not make it the next one, too.
            is_table = name.endswith(("shared.weight", "embed_tokens.weight"))
            torch.nn.init.normal_(parameter, mean=float(is_norm), std=0.25 if is_table else 0.7 if parameter.dim() > 1 else 0.2)
    model.final_logits_bias.normal_(std=0.5)
    model.final_logits_bias[0, 0] += 2  # so that most translations end
    files = rng.choice([1, 2])
    model.save_pretrained(home, **({} if files == 1 else {"max_shard_size": "10KB"}))
    write_json(home / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", "separate_vocabs": not shared})
    return f"{config.encoder_layers}+{config.decoder_layers} layers, width {config.d_model}, {heads} heads, {config.activation_function}, " \
        f"{'one table' if shared else 'tied' if config.tie_word_embeddings else 'untied'}, {kind}, {len(list(home.glob('*.safetensors')))} files"


def generated(home, lines, beam, **more):
    """-> the pieces of each line, without special ones."""
    tokenizer = transformers.MarianTokenizer.from_pretrained(home)
    model = transformers.MarianMTModel.from_pretrained(home).eval()
    decoder = tokenizer.target_encoder if tokenizer.separate_vocabs else tokenizer.encoder
    piece_of = {i: piece for piece, i in decoder.items()}
    special = {model.config.decoder_start_token_id, model.config.pad_token_id, model.config.eos_token_id}
    found = []
    for line in lines:
        with torch.no_grad():
            result = model.generate(**tokenizer([line], return_tensors="pt"), num_beams=beam, max_length=MOST_PIECES + 1, **more)
        found.append([piece_of[i] for i in result[0].tolist()[1:] if i not in special])
    return found


def compare(what, model, hf_folder, lines_file, lines, **more):
    """-> how many lines were compared, and how many differ."""
    compared, differ = 0, {1: 0, 4: 0}
    for beam in (1, 4):
        mine = random_text.translations(programs, model, lines_file, beam, MOST_PIECES)
        theirs = generated(hf_folder, lines, beam, **(more if beam > 1 else {}))
        for hypotheses, pieces in zip(mine, theirs):
            if beam > 1 and any(len(scores) != len(made) + 1 for made, scores in hypotheses):
                continue  # cut: each ranks what has not ended in its own way
            compared += 1
            mine_first = hypotheses[0][0]
            if len(mine_first) == MOST_PIECES:  # cut: forced_eos_token_id takes the last place of theirs
                mine_first, pieces = mine_first[:-1], pieces[:MOST_PIECES - 1]
            differ[beam] += mine_first != pieces
    claim(what, compared > 0 and not any(differ.values()), f"{compared} lines, {differ[1]} greedy and {differ[4]} of a beam of 4 differ")


print(f"transformers {transformers.__version__}, torch {torch.__version__}", flush=True)
for number in range(count):
    home = folder / f"model-{number}"
    sizes = make(home, number)
    lines = sentences("en", LINES, number)
    (home / "lines").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    compare(f"from transformers: {sizes}", home, home, home / "lines", lines, early_stopping=True, length_penalty=1.0)
    run, exported = folder / f"run-{number}", folder / f"exported-{number}"
    for words in (["xformer", "-m", home, "-o", run], ["hf-marian", "-m", run, "-o", exported]):
        subprocess.run([f"{programs}/xformer-export", "to", *words, "--quiet"], check=True, stderr=subprocess.DEVNULL)
    compare("to transformers", run, exported, home / "lines", lines)
sys.exit(random_text.failures > 0)
