#!/usr/bin/env python3
"""The n-gram model that a language model is to beat: interpolated Kneser-Ney with three discounts for each order.

    kneser_ney.py ORDER TRAIN TEST                 tokens apart by spaces, a sentence a line
    kneser_ney.py ORDER TRAIN --samples N [SEED]   N sentences drawn from the model

The first prints lines, tokens (one </s> a line counted) and perplexity, as `xformer-score lm` does. On pieces of `xformer-vocab
encode` both models predict the same tokens, and their perplexities compare. Chen, Goodman 1999, "An empirical study of
smoothing techniques for language modeling", section 4.1.6: an order below the highest counts in how many contexts a token
occurs; order 0 is uniform over the training tokens, </s> and one unknown token."""
import collections
import math
import random
import sys

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"


def sentences(path, known=None):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if known is not None:
                words = [word if word in known else UNKNOWN for word in words]
            yield words


def discounts(counts):
    """D1, D2, D3+ of Chen and Goodman, from how many n-grams were seen once to four times."""
    seen = collections.Counter(min(count, 5) for count in counts)
    n1, n2, n3, n4 = (max(seen[i], 1) for i in (1, 2, 3, 4))
    y = n1 / (n1 + 2 * n2)
    return 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3


class KneserNey:
    def __init__(self, order, train):
        self.order = order
        counts = [None] + [collections.Counter() for _ in range(order)]
        for words in train:
            padded = [BEGIN] * (order - 1) + words + [END]
            for i in range(order - 1, len(padded)):
                counts[order][tuple(padded[i - order + 1:i + 1])] += 1
        for n in range(order - 1, 0, -1):  # in how many contexts, each one once
            for gram in counts[n + 1]:
                counts[n][gram[1:]] += 1
        self.counts = counts
        self.words = len({gram[-1] for gram in counts[1]}) + 1  # and <unk>
        self.discounts = [None] + [discounts(counts[n].values()) for n in range(1, order + 1)]
        self.totals = [None] + [collections.Counter() for _ in range(order)]
        self.rest = [None] + [collections.Counter() for _ in range(order)]  # the mass that discounts leave
        for n in range(1, order + 1):
            for gram, count in counts[n].items():
                self.totals[n][gram[:-1]] += count
                self.rest[n][gram[:-1]] += self.discounts[n][min(count, 3) - 1]

    def probability(self, gram):
        n = len(gram)
        if n == 0:
            return 1 / self.words
        lower = self.probability(gram[1:]) if n > 1 else 1 / self.words
        total = self.totals[n][gram[:-1]]
        if total == 0:
            return lower
        count = self.counts[n][gram]
        kept = count - self.discounts[n][min(count, 3) - 1] if count else 0
        return (kept + self.rest[n][gram[:-1]] * lower) / total

    def log_probability(self, words):
        padded = [BEGIN] * (self.order - 1) + words + [END]
        return sum(math.log(self.probability(tuple(padded[i - self.order + 1:i + 1])))
                   for i in range(self.order - 1, len(padded)))

    def followers(self):
        """By order and context: the tokens that followed it, and what the discounts keep of their counts."""
        kept = [None] + [collections.defaultdict(lambda: ([], [])) for _ in range(self.order)]
        for n in range(1, self.order + 1):
            for gram, count in self.counts[n].items():
                tokens, weights = kept[n][gram[:-1]]
                tokens.append(gram[-1])
                weights.append(count - self.discounts[n][min(count, 3) - 1])
        return kept

    def draw(self, followers, context, rng):
        """A token by probability(): at each order one that was seen there, or, with the mass that its discounts left, one
        of the order below; at last any token."""
        for n in range(self.order, 0, -1):
            history = context[len(context) - n + 1:]
            total = self.totals[n][history]
            if total and rng.random() * total >= self.rest[n][history]:
                tokens, weights = followers[n][history]
                return rng.choices(tokens, weights)[0]
        return rng.choice(sorted(gram[0] for gram in self.counts[1]) + [UNKNOWN])

    def sample(self, followers, rng):
        words = [BEGIN] * (self.order - 1)
        while not words or words[-1] != END:
            words.append(self.draw(followers, tuple(words), rng))
        return words[self.order - 1:-1]


def print_samples(model, count, seed):
    rng, followers = random.Random(seed), model.followers()
    for _ in range(count):
        print(" ".join(model.sample(followers, rng)))


def main():
    order, train, test = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    model = KneserNey(order, sentences(train))
    if test == "--samples":
        return print_samples(model, int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    known = {gram[0] for gram in model.counts[1]}
    lines = list(sentences(test, known))
    tokens = sum(len(words) + 1 for words in lines)
    loss = -sum(model.log_probability(words) for words in lines)
    print(f"lines            {len(lines)}\ntokens           {tokens}\nperplexity       {math.exp(loss / tokens):.4f}")


if __name__ == "__main__":
    main()
