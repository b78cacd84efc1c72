"""The settings of a language model, with those of GPT-2 and Llama.

Next: language_model_layers.py
"""

from dataclasses import dataclass

from ..layers.extra.rotary_positions import ROTARY_PAIRS
from ..layers.hyperparameter_checks import check_even_d_k
from ..utils import InputError, setting
from .config import ACTIVATIONS, POSITIONS, StackConfig


@dataclass(frozen=True, kw_only=True)
class LanguageModelConfig(StackConfig):
    """The settings of a language model; the defaults are those of the paper's decoder.

    With `tie_embeddings` = "all" embedding and generator share their table. With `norm` = "rms"
    every norm is an RMSNorm, before each sub-layer and at the end. A `pad_id` of None is that of a
    vocabulary without a token for padding: nothing is hidden, and a text in a batch can have any
    tokens after its end, because no position sees later ones.

    GPT-2 (Radford et al. 2019) has `norm` = "pre", `positions` = "learned", `activation` =
    "gelu_tanh", `embedding_scale` = 1 and `layer_norm_eps` = 1e-5. Llama (Touvron et al. 2023) has
    `norm` = "rms", `positions` = "rotary", `rotary_pairs` = "halves", `activation` = "swiglu",
    `embedding_scale` = 1, `tie_embeddings` = "none" and no biases; the largest of Llama 2, and all
    of Llama 3, also have `n_kv_heads`.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> LanguageModelConfig(vocab_size=65, d_model=128, n_heads=4).n_decoder_layers
    6
    >>> LanguageModelConfig(vocab_size=65, n_heads=8, n_kv_heads=3)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: n_heads = 8 is not divisible by n_kv_heads = 3: choose others
    """

    activation: str = setting(
        "relu",
        "between the feed-forward network's linear maps; for language models also gelu_tanh, as in "
        "GPT-2, and swiglu, a gate as in Llama",
        choices=(*ACTIVATIONS, "gelu_tanh", "swiglu"),
    )
    norm: str = setting(
        "post",
        "LayerNorm after each residual sum, or before each sub-layer; for language models also "
        "rms: RMSNorm before each sub-layer",
        choices=("post", "pre", "rms"),
    )
    positions: str = setting(
        "sinusoidal",
        "positional encoding; sinusoidal_concatenated: all sines first, as in Marian; for language "
        "models also rotary: queries and keys are rotated",
        choices=(*POSITIONS, "rotary"),
    )
    rotary_base: float = setting(10000.0, "base of the wavelengths of rotary positions", above=0)
    rotary_pairs: str = setting(
        "neighbors",
        "which features are rotated together: neighbors, or those of two halves, as in Llama",
        choices=ROTARY_PAIRS,
    )
    n_kv_heads: int | None = setting(
        None, "heads of keys and values, which groups of heads share", least=1, none_is="n_heads"
    )
    feed_forward_bias: bool = setting(True, "biases in the feed-forward network")
    embedding_scale: float | None = setting(
        None, "what embeddings are multiplied by", above=0, none_is="sqrt(d_model)"
    )
    # wider than in the base class, whose models need padding
    pad_id: int | None = setting(0, least=0)  # type: ignore[assignment]
    vocab_size: int = setting(least=1)
    n_decoder_layers: int = setting(6, "decoder layers", least=1)
    tie_embeddings: str = setting(
        "all", "which embedding tables are shared", choices=("all", "none")
    )
    generator_bias: bool = setting(False, "a bias in the generator")

    def __post_init__(self):
        super().__post_init__()
        if self.positions == "rotary":
            check_even_d_k(self.d_k or self.d_model // self.n_heads)
        elif self.rotary_base != 10000 or self.rotary_pairs != "neighbors":
            raise InputError(
                f"rotary_base and rotary_pairs do nothing with positions = {self.positions}: "
                "leave them out, or use positions = rotary"
            )
        if self.n_kv_heads is not None and self.n_heads % self.n_kv_heads:
            raise InputError(
                f"n_heads = {self.n_heads} is not divisible by n_kv_heads = {self.n_kv_heads}: "
                "choose others"
            )
