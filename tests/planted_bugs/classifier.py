"""Bugs of classification: padding that is pooled, classes of other texts, gradients that go astray."""

from functools import partial

import test_classification_scores as scored
import test_classifier as classifier
import test_labeled_batches as batches

from npformer.evaluation import ClassificationScores
from npformer.layers import FirstTokenPooling, MaxPooling, MeanPooling
from npformer.layers.extra.pooling import _WeightedSum
from npformer.models import Classifier
from npformer.tasks import Batch, ClassificationBatch, Objective, classification

from .plant import bug, gradients

MEAN, FIRST, MAX, *_ = classifier.SETTINGS
POOLED = {
    kind: partial(classifier.test_only_real_positions_are_pooled, kind, y)
    for kind, y in classifier.POOLED
}

CLASSIFIER = [
    bug(
        "Classifier: padding is pooled too",
        partial(classifier.test_additional_padding_changes_no_output, MEAN),
        (Classifier, "forward", "mask[:, 0])", "mask[:, 0] | True)"),
    ),
    bug(
        "Classifier: padding visible to the encoder",
        partial(classifier.test_embedding_of_padding_changes_no_output, FIRST),
        (Classifier, "forward", "forward(ids, mask)", "forward(ids)"),
    ),
    bug(
        "Classifier: the pooling is the mean, whatever the setting says",
        partial(classifier.test_pooling_setting_selects_the_layer, "max"),
        (Classifier, "__init__", "POOLING[config.pooling]()", "MeanPooling()"),
    ),
    bug(
        "Classifier.backward: the encoder gets no gradient",
        gradients("Classifier, mean pooling", 1),
        (Classifier, "backward", "self.encoder.backward(dmemory)", ""),
    ),
    bug(
        "Classifier: texts with the vector of their neighbour, in both directions",
        partial(classifier.test_texts_of_a_batch_are_independent, MEAN),
        (
            Classifier,
            "forward",
            "self.pooling.forward(memory, ",
            "self.pooling.forward(memory[::-1], ",
        ),
        (
            Classifier,
            "backward",
            "self.output.backward(dlogits))",
            "self.output.backward(dlogits))[::-1]",
        ),
    ),
    bug(
        "MeanPooling: divides by the length with padding, in both directions",
        POOLED[MeanPooling],
        (MeanPooling, "_weigh", "xp.maximum(mask.sum(1, keepdims=True), 1)", "mask.shape[1]"),
    ),
    bug(
        "MeanPooling: the sum, not the mean, in both directions",
        POOLED[MeanPooling],
        (MeanPooling, "_weigh", "(mask / n_real)", "mask"),
    ),
    bug(
        "MeanPooling.backward: every position has the whole gradient",
        gradients("MeanPooling"),
        (_WeightedSum, "backward", "weights * dy", "(weights > 0) * dy"),
    ),
    bug(
        "MaxPooling: padding may be the largest, in both directions",
        POOLED[MaxPooling],
        (MaxPooling, "_weigh", "xp.where(mask, x, -xp.inf)", "x"),
    ),
    bug(
        "MaxPooling: padding is 0, which is more than a negative value, in both directions",
        POOLED[MaxPooling],
        (MaxPooling, "_weigh", "xp.where(mask, x, -xp.inf)", "(x * mask)"),
    ),
    bug(
        "MaxPooling: a text without a real token has a gradient",
        partial(classifier.test_pooling_without_real_tokens_gives_zeros, MaxPooling),
        (MaxPooling, "_weigh", "return mask & ", "return "),
    ),
    bug(
        "FirstTokenPooling: the last position, in both directions",
        POOLED[FirstTokenPooling],
        (FirstTokenPooling, "_weigh", "== 0", "== x.shape[1] - 1"),
    ),
    bug(
        "Batch.split: the classes of other texts",
        partial(batches.test_split_gives_balanced_shares_with_labels, 2),
        (
            Batch,
            "split",
            "array[i::n] for array",
            "array[i::n] if array.ndim > 1 else array[i * len(array[::n]) :][: len(array[i::n])] for array",
        ),
    ),
    bug(
        "ClassificationBatch.collate: no <bos> for first-token pooling",
        batches.test_text_is_preceded_by_bos_and_padded,
        (ClassificationBatch, "collate", "[BOS, *ids]", "[*ids]"),
    ),
    bug(
        "Objective: class 0 is taken for padding",
        batches.test_class_0_is_not_treated_as_padding,
        (Objective, "__init__", "None if self.classifies else PAD", "PAD"),
    ),
    bug(
        "score_classes: a row of the confusion matrix is a found class",
        scored.test_rows_of_the_confusion_matrix_are_true_classes,
        (
            classification,
            "score_classes",
            "(np.array(classes), probabilities.argmax(1))",
            "(probabilities.argmax(1), np.array(classes))",
        ),
    ),
    bug(
        "score_classes: of texts alike in class one is counted",
        scored.test_rows_of_the_confusion_matrix_are_true_classes,
        (
            classification,
            "score_classes",
            "np.add.at(confusion, (np.array(classes), probabilities.argmax(1)), 1)",
            "confusion[np.array(classes), probabilities.argmax(1)] += 1",
        ),
    ),
    bug(
        "F1: precision alone",
        scored.test_f1_is_symmetric_in_true_and_predicted,
        (
            ClassificationScores,
            "f1",
            "self.confusion.sum(0) + self.confusion.sum(1)",
            "2 * self.confusion.sum(0)",
        ),
    ),
]
