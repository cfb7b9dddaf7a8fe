#!/usr/bin/env python3
"""Models of transformers' MarianMT with random weights, and what transformers makes of a few lines with them.

    pip install torch transformers sentencepiece && python3 make_marian.py [FOLDER]

writes into FOLDER (default: ../fixtures/marian) three folders as transformers saves them:

    opus      as OPUS-MT has them: one table, unigram pieces of a model for each side in one vocab.json of its own order,
              </s> first and <pad> last, which is what a translation begins with; swish; safetensors in f16
    separate  a vocabulary for each side, the target's embedding is the output; ReLU; pytorch_model.bin, an archive
    untied    three tables, BPE; GELU; pytorch_model.bin in the form before PyTorch 1.6

and into each `lines`, a text; `greedy`, what comes of it, ended at 12 pieces; `log_probabilities`, of each of their
pieces and of </s> where there is one.
"""
import json
import pathlib
import random
import shutil
import sys

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "../fixtures/marian")
WORDS = {"en": "the a old small dog cat horse house sees runs sleeps and near green quickly never my your river tree".split(),
         "de": "der die das alte kleine hund katze pferd haus sieht läuft schläft und bei grün schnell nie mein fluss baum".split()}
MOST_PIECES = 12


def sentences(language, count, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS[language], k=rng.randint(2, 7))) + rng.choice(".!?") for _ in range(count)]


def train_pieces(path, language, size, kind):
    """-> the pieces of a new SentencePiece model, without its special ones."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(language, 400, language)), model_writer=open(path, "wb"), vocab_size=size,
        model_type=kind, normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, minloglevel=2)
    model = sentencepiece.SentencePieceProcessor(str(path))
    return [model.id_to_piece(i) for i in range(3, model.get_piece_size())]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0), encoding="utf-8")


def ids(pieces):
    return {piece: i for i, piece in enumerate(["</s>", "<unk>"] + pieces + ["<pad>"])}


def make(name, kind, seed, shared, tied, **sizes):
    home = folder / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    source = train_pieces(home / "source.spm", "en", 60, kind)
    target = train_pieces(home / "target.spm", "de", 66, kind)
    if shared:
        source_ids = target_ids = ids(source + [piece for piece in target if piece not in source])
    else:
        # <pad> and </s> have one id for both sides: as many pieces here as there.
        most = min(len(source), len(target))
        source_ids, target_ids = ids(source[:most]), ids(target[:most])
        write_json(home / "target_vocab.json", target_ids)
    write_json(home / "vocab.json", source_ids)
    pad = source_ids["<pad>"]
    config = MarianConfig(
        vocab_size=len(source_ids), decoder_vocab_size=len(target_ids), share_encoder_decoder_embeddings=shared,
        tie_word_embeddings=tied, max_position_embeddings=64, scale_embedding=True, dropout=0.1, pad_token_id=pad,
        decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=None, **sizes)
    torch.manual_seed(seed)
    model = MarianMTModel(config).eval()
    for parameter_name, parameter in model.named_parameters():
        if "embed_positions" not in parameter_name:
            norm = "layer_norm.weight" in parameter_name
            torch.nn.init.normal_(parameter, mean=float(norm), std=0.4 if parameter.dim() > 1 else 0.2)
    model.final_logits_bias.normal_(std=0.5)
    model.generation_config.max_length = 512  # as OPUS-MT's
    if name == "opus":
        model.half().save_pretrained(home)
        model = MarianMTModel.from_pretrained(home, dtype=torch.float32).eval()
    else:
        config.save_pretrained(home)
        model.generation_config.save_pretrained(home)
        torch.save(model.state_dict(), home / "pytorch_model.bin", _use_new_zipfile_serialization=name == "separate")
    write_json(home / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", "separate_vocabs": not shared})
    tokenizer = MarianTokenizer.from_pretrained(home)
    lines, texts, scores = sentences("en", 24, seed), [], []
    for line in lines:
        batch = tokenizer([line], return_tensors="pt")
        with torch.no_grad():
            result = model.generate(**batch, num_beams=1, do_sample=False, max_new_tokens=MOST_PIECES, min_new_tokens=0,
                                    bad_words_ids=[[pad], [source_ids["<unk>"]]], return_dict_in_generate=True, output_logits=True)
        texts.append(tokenizer.decode(result.sequences[0], skip_special_tokens=True, use_source_tokenizer=False))
        made = result.sequences[0][1:]
        scores.append(" ".join(f"{logits[0].log_softmax(-1)[token].item():.6f}" for logits, token in zip(result.logits, made)))
    for file, rows in (("lines", lines), ("greedy", texts), ("log_probabilities", scores)):
        (home / file).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


def layers(encoder, decoder, heads, width):
    return dict(encoder_layers=encoder, decoder_layers=decoder, encoder_attention_heads=heads, decoder_attention_heads=heads,
                d_model=width, encoder_ffn_dim=2 * width, decoder_ffn_dim=2 * width)


make("opus", "unigram", 1, True, True, activation_function="swish", **layers(2, 2, 4, 16))
make("separate", "unigram", 2, False, True, activation_function="relu", **layers(1, 2, 2, 12))
make("untied", "bpe", 3, False, False, activation_function="gelu", **layers(2, 1, 2, 8))
