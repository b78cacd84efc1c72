"""A language model with random weights, whose sentences end as readily as the caller wants."""

import numpy as np

USUAL = 1.3  # how far apart the scores of the words are
UNDECIDED = 0.2  # all words are nearly as likely
SURE = 8.0  # one word has nearly all of the probability


class ToyModel:
    """The model of one sentence, as a beam search calls it: model(tokens, state).

    Arguments:
        weights: By name, what all sentences share: to_itself (M, M), embedding (V, M), to_scores
            (M, V) and to_end (M,), and the ids bos, eos and pad.
        ending: (T,), how readily the sentence ends after each number of tokens, as log odds.
        contrast: (T,), how far apart the scores of its words are.
        most: How often the model may be asked.

    `tokens_given` lists the different tokens of each call.
    """

    def __init__(self, weights: dict, ending, contrast, most: int):
        self.weights = weights
        self.ending = np.asarray(ending)
        self.contrast = np.asarray(contrast)
        self.most = most
        self.tokens_given = []

    def start(self, features, n_rows: int):
        """Return the state (n_rows, 1 + M) before the first token: how many were read, and (M,)."""
        row = np.concatenate([[0], features])
        return np.repeat(row[None], n_rows, 0)

    def __call__(self, tokens, state):  # (K,), (K, 1 + M)
        """Return the log-probabilities (K, V) of the next token, and the next state."""
        tokens = np.asarray(tokens)
        state = np.asarray(state)
        self._check(tokens, state)
        self.tokens_given.append(np.unique(tokens))

        w = self.weights
        hidden = np.tanh(state[:, 1:] @ w["to_itself"] + w["embedding"][tokens])  # (K, M)
        n_read = np.minimum(state[:, 0].astype(int), len(self.ending) - 1)  # (K,)

        scores = self.contrast[n_read][:, None] * (hidden @ w["to_scores"])  # (K, V)
        scores[:, [w["pad"], w["bos"]]] = -30  # padding and <bos> are never written
        scores[:, w["eos"]] = -np.inf  # the words share what <eos> leaves them
        log_p = scores - np.log(np.exp(scores).sum(1, keepdims=True))

        end = 1 / (1 + np.exp(-self.ending[n_read] - 0.7 * hidden @ w["to_end"]))  # (K,)
        log_p += np.log(1 - end)[:, None]
        log_p[:, w["eos"]] = np.log(end)
        return log_p, np.concatenate([state[:, :1] + 1, hidden], 1)

    def _check(self, tokens, state):
        width = 1 + self.weights["embedding"].shape[1]
        are_ids = tokens.ndim == 1 and tokens.dtype.kind in "iu"
        if not are_ids or state.shape != (len(tokens), width):
            raise ValueError(
                f"the model got tokens {tokens.dtype.name} {tokens.shape} and state {state.shape}: "
                f"it reads integers (K,) and a state (K, {width})"
            )
        if len(self.tokens_given) == self.most:
            raise ValueError(f"the model was asked more than {self.most} times, which is max_len")
