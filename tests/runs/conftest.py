"""What the tests of runs share: the sizes of a model that trains in a blink, and how to begin a
run of it.
"""

import pytest

from npformer import runs


@pytest.fixture(scope="session")
def sizes():
    sizes = {"d_model": 16, "d_ff": 24, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1}
    return sizes | dict(batch_tokens=64, warmup_steps=5, learning_rate=0.01, min_count=1, epochs=2)


@pytest.fixture
def begin(tmp_path, text_files, sizes):
    """Begin a run on the thirty lines in a folder of this name."""

    def begin_run(name="run", *, without=(), **settings):
        files = dict(zip(("src", "tgt"), text_files, strict=True))
        given = {**files, **sizes, **settings}
        return runs.begin(
            folder=tmp_path / name, **{key: given[key] for key in given if key not in without}
        )

    return begin_run
