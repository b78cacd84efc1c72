from math import comb

import npformer as npf
from npformer.layers import Softmax
from npformer.paper.table1 import KINDS, Size, gradient_by_position, layers_between_ends

ATTENTION, LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS

# what the layers really multiply: each position with each weight, and twice for each score
small = Size(64, 32, r=8)
totals = []
for kind in KINDS:
    layer = kind.build(small, 0, rng=0)
    with npf.trace(layer, depth=None) as trace:
        layer.forward(small.input("float32"))
    weights = sum(p.data.size for p in layer.parameters() if p.data.ndim > 1)
    scores = sum(one.inputs[0].size for one in trace.records if isinstance(one.layer, Softmax))
    totals.append(small.n * weights + 2 * small.d * scores)
    assert totals[-1] == kind.multiply_adds(small)
unit = small.n * small.d**2
assert [total / unit for total in totals] == [8, 8, 3, 3, 5.5]

# the formulas of the text
width = 512
of_sentence = Size(n_words, width, r=8)
assert whole.tolist() == [kind.multiply_adds(of_sentence) for kind in KINDS[:3]]
assert ATTENTION.multiply_adds(of_sentence) == 4 * 30 * 512**2 + 2 * 30**2 * 512
assert LSTM.multiply_adds(of_sentence) == 8 * 30 * 512**2
assert CONVOLUTION.multiply_adds(of_sentence) == 3 * 30 * 512**2
assert min(KINDS[:3], key=lambda kind: kind.multiply_adds(of_sentence)) is CONVOLUTION
at_2d = Size(2 * width, width)
assert ATTENTION.multiply_adds(at_2d) == LSTM.multiply_adds(at_2d)
assert (attention == recurrence).tolist() == [False] * 3 and int(crossing) == 512
between = 2 * n_words**2 * width
assert abs(between / ATTENTION.multiply_adds(of_sentence) - 0.028) < 0.001
long = Size(10_000, 64, r=8)
assert 65 < ATTENTION.multiply_adds(long) / RESTRICTED.multiply_adds(long) < 75

# paths
assert layers.tolist() == [1, 1, 32, 8]
ends = Size(33, 8, k=3, r=8)
assert layers_between_ends(DILATED, ends) == 5
assert layers_between_ends(RESTRICTED, ends) == 8
one_layer = {kind.name: gradient_by_position(kind, ends, 1) for kind in (ATTENTION, LSTM)}
spread = {name: norms[:-1].max() / norms[0] for name, norms in one_layer.items()}
assert spread["self-attention"] < 3 and abs(spread["recurrent (LSTM)"] - 1928) < 60
assert comb(39, 7) == 15_380_937  # 32 steps back, each in one of eight layers
assert gradient_by_position(LSTM, ends, 8).argmax() == 0
assert products["self-attention"].tolist() == [4, 4, 4, 4]
assert products["recurrent (LSTM)"].tolist() == [9, 17, 33, 65]
assert products["convolution"].tolist() == products["restricted"].tolist() == [8, 16, 32, 64]
assert products["dilated"].tolist() == [4, 5, 5, 8]
