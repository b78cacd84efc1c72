# the open verb: let in at both marks, kept between them
value, mark, let_in, kept, offer, shown, cell, output = np.array(seen).T
assert (let_in > 0.99).tolist() == (mark == 1).tolist() == (kept < 0.01).tolist()
assert np.allclose(cell[1:7], np.tanh(0.9), atol=0.01) and abs(cell[7]) < 0.01

# gates, and how far a gradient reaches
sigma = 1 / (1 + np.exp(-np.array([1, 3])))
assert sigma.round(2).tolist() == [0.73, 0.95] and abs(sigma[1] ** 40 - 0.13) < 0.02
assert abs(float(f) ** 40 - 0.1) < 0.001
reached = {name: norm[40] / norm[0] for name, norm in norms.items()}
assert reached["b_f = 0"] < 1e-7 and 3500 < 1 / reached["b_f = 1"] < 4500
assert reached["b_f = 3"] > 0.2
assert abs(0.73**40 * 300_000 - 1) < 0.05


class OnlyCells(copying.OwnLSTM):
    """An LSTM in which gradients go back through cells only."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.w_hidden.data[:] = 0


with_outputs = copying.OwnLSTM
copying.OwnLSTM = OnlyCells
by_cells = copying.gradient_by_distance(lstm_step, lstm_backward, 1)
copying.OwnLSTM = with_outputs
assert by_cells[40] / by_cells[0] < 1 / 300_000
exploding = copying.gradient_by_distance(lstm_step, lstm_backward, 6)
assert abs((exploding[40] / exploding[20]) ** (1 / 20) - 1.08) < 0.01
by_attention = norms["b_f = 1, with attention"]
assert (by_attention[17:] > 2 * norms["b_f = 1"][17:]).all()
assert by_attention[17:].min() > 0.5 * by_attention[17:].max()

# copying, lengths 2, 4, ..., 24
one, attentive, place, before = (100 * shares for shares in copied.values())
assert 85 < one[0] and abs(one[7] - 17) < 1.5
assert attentive.min() > 98 and abs(attentive[7] - 99) < 1
assert looked.argmax(-1).tolist() == list(range(16))
assert place[:8].min() > 98 and place[8] < 95 and 55 < place[-1] < 80
assert before.min() > 99
assert abs(np.log2(np.arange(11, 27.0)).sum() - 67) < 0.5  # bits of 16 different letters
assert 2 * copying.D == 128


# other ways of counting, and the reverse order
class Through(copying.Positions):
    def forward(self, x):
        return x + copying.sinusoids(x.shape[1], x.shape[-1]).astype("float32")


def share_of_16(layer, **task):
    model = copying.train_copier(layer, **task)
    return 100 * copying.shares_right(model, [16], task.get("reverse", False))[0]


assert abs(share_of_16(Through()) - 20) < 2
assert abs(share_of_16(copying.Positions(), reverse=True) - 21) < 2
assert share_of_16(copying.LeftNeighbor(), reverse=True) > 98
vector = copying.LSTM(copying.D, copying.D, rng=1)
assert abs(share_of_16(vector, attention=False, reverse=True) - 24) < 2
