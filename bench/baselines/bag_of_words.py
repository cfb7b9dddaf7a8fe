#!/usr/bin/env python3
"""What a classifier is to beat: the most frequent class, and naive Bayes on a bag of words.

    bag_of_words.py TRAIN_TEXT TRAIN_LABELS TEST_TEXT TEST_LABELS

Prints the accuracy of both. Multinomial naive Bayes with add-one smoothing over lower-cased words apart by spaces;
McCallum, Nigam 1998, "A comparison of event models for naive Bayes text classification"."""
import collections
import math
import sys


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def train(texts, labels):
    classes = collections.Counter(labels)
    words = {label: collections.Counter() for label in classes}
    for text, label in zip(texts, labels):
        words[label].update(text.lower().split())
    vocabulary = set().union(*words.values())
    totals = {label: sum(counts.values()) + len(vocabulary) for label, counts in words.items()}

    def classify(text):
        known = [word for word in text.lower().split() if word in vocabulary]
        return max(sorted(classes), key=lambda label: math.log(classes[label] / len(labels)) + sum(
            math.log((words[label][word] + 1) / totals[label]) for word in known))

    return classes, classify


def main():
    texts, labels, test_texts, test_labels = (lines_of(path) for path in sys.argv[1:5])
    classes, classify = train(texts, labels)
    majority = classes.most_common(1)[0][0]
    accuracy = lambda predicted: 100 * sum(map(str.__eq__, predicted, test_labels)) / len(test_labels)
    print(f"majority         {accuracy([majority] * len(test_labels)):.2f}")
    print(f"bag of words     {accuracy([classify(text) for text in test_texts]):.2f}")


if __name__ == "__main__":
    main()
