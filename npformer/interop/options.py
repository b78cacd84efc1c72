"""The options of a state dict: what it does not hold."""

from dataclasses import dataclass

from ..layers.feed_forward import ACTIVATIONS
from ..models.config import POSITIONS
from ..text import MARKS
from ..text.vocabulary import UNITS
from ..utils import check_settings, setting
from .vocabulary_files import FOLDED, LOWERCASE, UNIT

NOTED = ", or what npformer export noted"


@dataclass(frozen=True, kw_only=True)
class StateDictOptions:
    """What a state dict does not hold, with nn.Transformer's defaults, and names in it that cannot be guessed.

    Raises `InputError` on construction when one is out of range.
    """

    source_vocabulary: str | None = setting(
        None, "file of source tokens, one per line in the order of their ids, or .json (required)"
    )
    target_vocabulary: str | None = setting(None, "file of target tokens", none_is="the source's")
    unit: str | None = setting(None, "what a token is", choices=UNITS, none_is=UNIT)
    lowercase: str | None = setting(None, "whose case is folded", choices=FOLDED, none_is=LOWERCASE)
    pad: str | None = setting(
        None, "the token that pads; '': none", none_is="<pad> or alike, if there is one", may_be_empty=True
    )
    unk: str | None = setting(None, "the token of unknown words; '': none", none_is="<unk> or alike", may_be_empty=True)
    bos: str | None = setting(None, "the token that targets begin with", none_is="<bos>, <sos>, <s> or alike")
    eos: str | None = setting(None, "the token that ends a sentence", none_is="<eos>, </s> or alike")
    source_marks: str | None = setting(
        None,
        "what stands around a source: eos, both (bos and eos) or none",
        choices=tuple(MARKS),
        none_is="eos" + NOTED,
    )
    n_heads: int | None = setting(None, "nhead of nn.Transformer", least=1, none_is="8" + NOTED)
    norm: str | None = setting(None, "pre: norm_first=True", choices=("post", "pre"), none_is="post" + NOTED)
    activation: str | None = setting(
        None,
        "between the feed-forward network's linear maps",
        choices=tuple(ACTIVATIONS),
        none_is="relu" + NOTED,
    )
    layer_norm_eps: float | None = setting(None, "LayerNorm's eps", above=0, below=1, none_is="1e-05" + NOTED)
    embedding_scale: str | None = setting(
        None,
        "what embeddings are multiplied with: the root of d_model, or 1 (required, unless npformer export noted it)",
        choices=("1", "sqrt"),
    )
    positions: str | None = setting(None, "positional encoding", choices=POSITIONS, none_is="what their table shows")
    max_len: int | None = setting(None, "the longest text, in tokens", least=1, none_is="their table's length, or 512")
    source_table: str | None = setting(None, "name of the source's embedding table", none_is="found")
    target_table: str | None = setting(None, "name of the target's embedding table", none_is="found")
    generator: str | None = setting(None, "name of the generator's matrix", none_is="found, or the target's table")
    source_positions: str | None = setting(None, "name of the source's table of positions", none_is="found")
    target_positions: str | None = setting(None, "name of the target's table of positions", none_is="found")
    ignore: str | None = setting(
        None, "names of arrays to leave out, with commas; net. is all that begin so", none_is="none"
    )

    def __post_init__(self):
        check_settings(self)
