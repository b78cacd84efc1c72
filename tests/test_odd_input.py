"""Input that is rare, and was once misunderstood: it works, or is refused in one line."""

import numpy as np
import pytest

from npformer import InputError, decoding, layers
from npformer.cli import main
from npformer.models import LanguageModel, LanguageModelConfig


@pytest.mark.parametrize("eps", [0, 0.0])
def test_loss_without_smoothing_allows_logits_of_minus_infinity(eps):
    loss = layers.LabelSmoothingLoss(eps=eps, pad_id=None)
    value = loss.forward(np.array([[1.0, 2.0, -np.inf]]), np.array([0]))
    assert value == pytest.approx(np.log(1 + np.e))
    assert loss.backward()[0, 2] == 0


def test_only_padding_may_be_a_negative_target():
    logits = np.zeros((2, 3))
    assert layers.LabelSmoothingLoss(pad_id=-100).forward(logits, np.array([-100, -100])) == 0
    with pytest.raises(InputError, match=r"got the id -1: expected ids in 0 \.\. 2"):
        layers.LabelSmoothingLoss(pad_id=-100).forward(logits, np.array([-100, -1]))
    with pytest.raises(InputError, match=r"got the id -100: expected ids in 0 \.\. 2"):
        layers.LabelSmoothingLoss(pad_id=0).forward(logits, np.array([0, -100]))


@pytest.mark.parametrize("causal", [True, False])
def test_local_attention_of_an_empty_batch_is_empty(causal):
    attention = layers.LocalAttention(2, causal=causal)
    x = np.zeros((0, 3, 20, 4))
    y = attention.forward(x, x, x[..., :2])
    assert y.shape == (0, 3, 20, 2)
    assert [dx.shape for dx in attention.backward(y)] == [x.shape, x.shape, y.shape]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_mask_that_is_a_matrix_is_named():
    x = np.ones((3, 4))
    with pytest.raises(InputError, match="got a mask of type matrix: expected booleans"):
        layers.ScaledDotProductAttention().forward(x, x, x, np.matrix(np.ones((3, 3), bool)))


@pytest.mark.parametrize("name", ["greedy_decode", "beam_search", "sample"])
def test_language_model_translates_nothing(name):
    sizes = {"d_model": 8, "d_ff": 8, "n_heads": 2, "n_decoder_layers": 1}
    model = LanguageModel(LanguageModelConfig(vocab_size=9, **sizes), rng=0)
    with pytest.raises(InputError, match=r"no source to translate: use npf\.TextGenerator"):
        getattr(decoding, name)(model, np.array([[4, 5]]))


def test_error_of_the_system_is_one_plain_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = 300 * "a"
    assert main(["train", "copy", "--recipe", "tiny", "--run", name]) == 2
    assert capsys.readouterr().err == f"npformer: File name too long: {name}/config.json\n"
