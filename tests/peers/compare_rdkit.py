#!/usr/bin/env python3
"""Compares `xformer-score smiles` with RDKit: which strings are molecules, and how many different ones.

    python compare_rdkit.py PROGRAMS [STRINGS, 2000]

PROGRAMS: the folder of xformer-score. Python needs rdkit (PyPI). The strings are the first of RDKit's own file of the NCI, as
they are; the same written anew by RDKit from random atoms, aromatic and with double bonds; and the same with one sign
deleted, doubled or exchanged. Prints counts. Exit code 1 where the two disagree, but for what OpenSMILES refuses and RDKit
takes: an aromatic atom whose ring is not aromatic, a ring's number behind a branch, five bonds of a nitrogen."""
import pathlib
import random
import subprocess
import sys
import tempfile

from rdkit import Chem, RDConfig, RDLogger

RDLogger.DisableLog("rdApp.*")


def rdkit_strings(count):
    lines = pathlib.Path(RDConfig.RDDataDir, "NCI", "first_5K.smi").read_text().splitlines()
    return [line.split()[0] for line in lines][:count]


class Score:
    """What xformer-score says of strings: the set of lines that it does not read, the faults of others, its counts."""

    def __init__(self, programs, strings):
        with tempfile.TemporaryDirectory() as folder:
            file, faults = pathlib.Path(folder, "strings"), pathlib.Path(folder, "faults")
            file.write_text("".join(string + "\n" for string in strings))
            output = subprocess.run([f"{programs}/xformer-score", "smiles", file, "--faults", faults],
                                    check=True, capture_output=True, text=True).stdout
            said = dict(line.split("\t") for line in faults.read_text().splitlines())
        said = {int(line) - 1: fault for line, fault in said.items()}
        self.unread = {line for line, fault in said.items() if fault.endswith("not read")}
        self.faults = {line: fault for line, fault in said.items() if line not in self.unread}
        share = {name: float(value) for name, value in map(str.split, output.splitlines())}
        valid = len(strings) - len(said)
        self.unique = round(share["unique"] * valid / 100)


# What xformer-score says, by OpenSMILES, of strings that RDKit takes.
STRICTER = ["an aromatic atom is in no ring of aromatic bonds", "a ring's number must follow its atom",
            "the bonds of N add up to", "the bonds of n add up to"]


def is_stricter(fault):
    return any(words in fault for words in STRICTER)


def compare(title, programs, strings):
    score = Score(programs, strings)
    molecules = [Chem.MolFromSmiles(string) for string in strings]
    read = [i for i in range(len(strings)) if i not in score.unread]
    valid = [i for i in read if i not in score.faults]
    differ = [i for i in read if (i in score.faults) == (molecules[i] is not None)]
    known = [i for i in differ if i in score.faults and is_stricter(score.faults[i])]
    unique = len({Chem.MolToSmiles(molecules[i], isomericSmiles=False) for i in valid if molecules[i] is not None})
    print(f"{title}: {len(strings)} strings, {len(score.unread)} not read, {len(valid)} valid here, "
          f"{sum(molecules[i] is not None for i in read)} of the same in RDKit, {len(differ) - len(known)} differ and "
          f"{len(known)} where OpenSMILES is stricter; different molecules: {score.unique} here, {unique} in RDKit")
    for i in differ:
        if i not in known:
            print(f"  {strings[i]}: {score.faults.get(i, 'valid here')}")
    return len(differ) == len(known) and score.unique == unique


def rewritten(strings):
    texts = []
    for string in strings:
        molecule = Chem.MolFromSmiles(string)
        if molecule is None:
            continue
        for kekule in (False, True):
            copy = Chem.Mol(molecule)
            if kekule:
                Chem.Kekulize(copy, clearAromaticFlags=True)
            texts.append(Chem.MolToSmiles(copy, doRandom=True, canonical=False, isomericSmiles=False))
    return texts


def broken(strings, generator):
    texts = []
    for string in strings:
        at = generator.randrange(len(string))
        sign = generator.choice(["", string[at] * 2, generator.choice("CNOScno()=#123")])
        texts.append(string[:at] + sign + string[at + 1:])
    return texts


def main():
    programs, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    strings = rdkit_strings(count)
    generator = random.Random(1)
    good = [compare("as they are", programs, strings),
            compare("written anew", programs, rewritten(strings)),
            compare("broken", programs, [text for text in broken(strings, generator) if text])]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
