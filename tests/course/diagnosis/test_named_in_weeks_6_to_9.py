"""Wrong answers to exercises 17 to 33, written unlike the mistake that names them."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.course.diagnosis.small_exercises import edited
from tests.run_here import run_here

# by exercise: a part, words of the report, and what is written in place of what in the solution
WRONG = {
    "dropout": [
        ("dx", "divides by 1 - p twice", "dy * self.factor", "dy * self.factor / (1 - self.p)"),
        (
            "y",
            "binomial",
            "rng.random(x.shape) >= self.p",
            "rng.binomial(n=1, p=1 - self.p, size=x.shape)",
        ),
    ],
    "embedding": [
        ("y", "root of the number of words", "d_model = table.shape[1]", "d_model = len(table)"),
        ("y", "above its own", "table[ids] *", "np.roll(table, 1, axis=0)[ids] *"),
    ],
    "embedding_backward": [
        ("dtable", "first column", "into[PAD] = 0", "into[..., 0] = 0"),
        (
            "dtable",
            "words behind it",
            "into, ids, dy)",
            "into, ids, dy * (np.cumsum(ids == 0, 1) < 1)[..., None])",
        ),
    ],
    "positions": [
        ("table", "from 0 to 1", "even / d_model", "even / max(1, d_model - 2)"),
        ("table", "turn like the first", "even / d_model", "0 * even"),
        (
            "y",
            "whatever the table",
            "table[start : start + T]",
            "sinusoids(99, x.shape[2])[start : start + T]",
        ),
    ],
    "tied_generator": [
        ("logits", "stay in their order", "x @ table.T", "x @ np.resize(table, table.shape[::-1])"),
        (
            "dtable",
            "first sentence",
            "dlogits.reshape(-1, V).T @ x.reshape(-1, D)",
            "dlogits[0].T @ x[0]",
        ),
        (
            "tied gradient",
            "root of the number of tokens",
            "dgenerator.shape[1])",
            "len(dgenerator))",
        ),
    ],
    "label_smoothing": [
        ("q", "the right one too", "share = eps / vocab_size", "share = eps / (vocab_size - 1)"),
        (
            "loss",
            "whole batch",
            "shifted = logits - logits.max(-1, keepdims=True)",
            "shifted = logits - logits.max()",
        ),
        (
            "loss",
            "entropy",
            "-(q * log_p).sum(-1)",
            "(q * np.log(q)).sum(-1) - (q * log_p).sum(-1)",
        ),
        ("dlogits", "counts as 1", "p - q, 0)", "p - np.eye(q.shape[-1])[q.argmax(-1)], 0)"),
    ],
    "adam": [
        (
            "m kept",
            "keep 1 - beta",
            "m = m * beta1 + (1 - beta1) * g",
            "m = beta1 * g + (1 - beta1) * m",
        ),
        (
            "bias after one update",
            "that came in, and with",
            "m_hat = m /",
            "m_hat = (m - (1 - beta1) * g) / beta1 /",
        ),
    ],
    "warmup": [
        (
            "a step after it",
            "from its highest value",
            "= step**-0.5",
            "= 1 / (step * warmup_steps**-0.5)",
        ),
        (
            "a step of the warm-up",
            "from the first step on",
            "warmup_steps**-1.5",
            "warmup_steps**1.5",
        ),
        ("a step after it", "keeps rising", "falling = step**-0.5", "falling = step**0.5"),
        (
            "a step of the warm-up",
            "not depend on d_model",
            "(falling, rising)",
            "(falling, rising * d_model**0.5)",
        ),
        ("a step of the warm-up", "same at every step", "= step * warmup", "= step**0 * warmup"),
    ],
    "training_step": [
        (
            "what the optimizer gets",
            "number of updates",
            "optimizer.step(lr)",
            "[optimizer.step(lr) for _ in 'ab']",
        ),
        ("what the optimizer gets", "wrong in the rate", "r.step(lr)", "r.step(lr / 2)"),
        (
            "what the optimizer gets",
            "wrong in the gradient",
            "model.parameters()))",
            "model.parameters()[:2]))",
        ),
        (
            "parameters, not clipped",
            "added twice",
            "model.backward(dlogits)",
            "model.backward(2 * dlogits)",
        ),
    ],
    "greedy": [
        ("ids", "the toy's <eos>", "(tokens == eos)", "np.isin(tokens, [EOS])"),
        (
            "log_p",
            "mean over the tokens",
            "return ids, log_p",
            "return ids, log_p / (ids != pad).sum(-1)",
        ),
        ("ids", "expected integers", "return ids, log_p", "return ids * 1.0, log_p"),
        ("ids", "fewer columns", "return ids, log_p", "return prefix[:, 1:], log_p"),
    ],
    "beam": [
        (
            "ids",
            "stands last",
            "np.argsort(-totals, axis=None)[:n]",
            "np.argsort(-totals, axis=None)[:n][::-1]",
        ),
        ("over", "equals the bound", "best_score >= open_log_p", "best_score > open_log_p"),
        (
            "over",
            "wrong wherever False is expected",
            "open_log_p / length_penalty",
            "open_log_p * length_penalty",
        ),
        (
            "values",
            "not sorted",
            "np.argsort(-totals, axis=None)[:n]",
            "np.argpartition(-totals.ravel(), n - 1)[:n]",
        ),
        (
            "values",
            "last tokens alone",
            "return totals[parents, tokens]",
            "return next_log_p.ravel()[order]",
        ),
        (
            "score",
            "worst open beginning",
            "values[still_open[0]], max_len",
            "values[still_open].min(), max_len",
        ),
    ],
    "kv_cache": [
        (
            "mask",
            "may not look",
            "<= n_old + np.arange(n_new)[:, None]",
            "> n_old + np.arange(n_new)[:, None]",
        ),
        (
            "y of self-attention",
            "cache were empty",
            "q, keys, values, may_look",
            "q, k, v, may_look[:, n_old:]",
        ),
        (
            "keys of the memory",
            "reshape alone",
            "split_heads(keys, n_heads),",
            "keys.reshape(len(keys), n_heads, keys.shape[1], -1),",
        ),
        ("positions", "row of the first", "d_model)[start:]", "d_model)[[start]]"),
        ("y of all steps", "last step alone", "np.concatenate(steps, 1)", "steps.pop()"),
    ],
    "bug_hunt": [
        (
            "test of softmax_backward",
            "passes wrong code",
            "(softmax, x, dy)) < 1e-6",
            "(softmax, x, dy)) >= 1e-6",
        ),
    ],
    "second_bug_hunt": [
        (
            "test of tied_backward",
            "and fails on right code",
            "by_embedding + by_generator) <",
            "by_generator) <",
        ),
        (
            "test of split_heads",
            "(KeyError), on wrong code",
            "assert y.shape == (B, H, T, K)",
            "{0: 0}[largest_error(y[0, 0], x[0, :, :K])]",
        ),
    ],
    "byte_pair_merges": [
        (
            "ids of a new word",
            "pair first",
            "enumerate(merges):",
            "sorted(enumerate(merges), key=lambda m: m[1]):",
        ),
        ("merges", "n_merges + 1", "for k in range(n_merges):", "for k in range(1 + n_merges):"),
        (
            "ids of a new word",
            "does not have",
            "        ids = merge(ids, pair",
            "        if pair == merges[2]:\n            break\n        ids = merge(ids, pair",
        ),
        (
            "pairs and their counts",
            "the last of a word",
            "in pairwise(ids):",
            "in pairwise(ids[:-1]):",
        ),
        (
            "merges until no pair is left",
            "max()",
            "max(pairs.values(), default=0)",
            "max(pairs.values())",
        ),
    ],
    "top_p": [
        ("nucleus", "at least p", "before < p, 1)", "best_first > p, 1)"),
        (
            "nucleus",
            "order of the ids",
            "mask = np.z",
            "return probabilities.cumsum(1) - probabilities < p\n    mask = np.z",
        ),
        ("probabilities", "divided by p", "top / top.sum(1, keepdims=True)", "top / p"),
        (
            "tokens",
            "token after",
            "(running <= u[:, None]).sum(1)",
            "1 + (running > u[:, None]).argmax(1)",
        ),
        (
            "tokens",
            "expected integers",
            "(running <= u[:, None]).sum(1)",
            "(running <= u[:, None]).sum(1) * 1.0",
        ),
    ],
    "rotary": [
        (
            "scores",
            "number of the head",
            "start + N)[:, None]",
            "start + len(x[0]))[:, None, None]",
        ),
        (
            "rotated x",
            "sine is taken for the cosine",
            "sin = np.sin(angles)\n    cos =",
            "cos = np.sin(angles)\n    sin =",
        ),
        ("scores", "queries are not", "turned_q = rotate(q, S - T)", "turned_q = q + 0.0"),
        (
            "dq",
            "neither queries nor keys",
            "rotate_backward(dproducts @ rotate(k, 0), start)",
            "dproducts @ k",
        ),
    ],
    "encoder_training": [
        ("y", "nothing else", "attention.forward(x, mask)", "attention.forward(x, mask == False)"),
        ("dx", "goes past attention", "return dr + layer.attention", "return dz + layer.attention"),
    ],
    "bleu": [
        ("matches", "without anything", "tuple(words[i : i + n])", "''.join(words[i : i + n])"),
        ("matches", "as often as the reference", "min(count, theirs[gram])", "theirs[gram]"),
        (
            "matches",
            "order of the words",
            "Counter(tuple(words[i : i + n])",
            "Counter(frozenset(Counter(words[i : i + n]).items())",
        ),
        ("totals", "less than 0", "sum(own.values())", "1 + len(translation) - n"),
        (
            "brevity penalty",
            "1 for others",
            "min(1.0, np.exp(1 - r / c))",
            "1.0 if c <= r else np.exp(1 - r / c)",
        ),
    ],
}


@pytest.mark.parametrize(
    ("id", "part", "words", "right", "wrong"), [(id, *row) for id in WRONG for row in WRONG[id]]
)
def test_wrong_answer_is_named(id, part, words, right, wrong):
    parts = check(case_at(id, 0), edited(course.load(id), (right, wrong)), run_here).parts
    [found] = [one for one in parts if one.name == part]
    assert found.outcome != "right" and words in found.finding.text
