"""The logits in notebook 14a that are said to be PyTorch's are what PyTorch computes."""

import pytest
from safetensors.numpy import load_file

from elsewhere import pytorch_logits as stored
from npformer.utils import save_tensors

from .weights import torch

SETTINGS = {  # as notebook 14a specifies them, in PyTorch's words
    "transformer": {
        "d_model": 16,
        "nhead": 4,
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "dim_feedforward": 32,
        "activation": "gelu",
        "norm_first": True,
        "batch_first": True,
    },
    "final_norm": True,
    "embedding_scale": 4.0,
    "ids": {"pad": 0},
}


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_stored_logits_are_those_of_pytorch(agree, tmp_path):
    from .exported import Exported

    path = tmp_path / "with_settings.safetensors"
    save_tensors(path, load_file(stored.write_formula(tmp_path)), SETTINGS)
    with torch.no_grad():
        logits = Exported(path).eval()(torch.tensor(stored.SRC), torch.tensor(stored.TGT))
    agree("logits", stored.LOGITS.astype("float32"), logits[0], tolerance=1e-5)
