"""The options of an import: what the files of a model do not hold."""

from dataclasses import dataclass

from ..layers.feed_forward import ACTIVATIONS
from ..text import MARKS
from ..text.vocabulary import UNITS
from ..utils import check_settings, setting

FOLDED, SCALES = ("none", "source", "both"), ("1", "sqrt")


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """The options of an import: none for Marian, because its folder holds everything."""

    def __post_init__(self):
        check_settings(self)


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions(ImportOptions):
    """The vocabularies, required except for Marian, and how their text is cut."""

    source_vocabulary: str | None = setting(None, "source tokens, one per line in the order of their ids, or as .json")
    target_vocabulary: str | None = setting(None, "target tokens", none_is="the source's")
    unit: str | None = setting(None, "what a token is", choices=UNITS, none_is="words, or a run's own")
    lowercase: str | None = setting(None, "whose case is folded", choices=FOLDED, none_is="none, or a run's own")


@dataclass(frozen=True, kw_only=True)
class JadoreOptions(VocabularyOptions):
    """What weights of jadore do not hold: two settings of its train.py, both required."""

    n_heads: int | None = setting(None, least=1)
    scale: str | None = setting(None, "jadore: its scale_emb_or_prj (required)", choices=("emb", "prj", "none"))


@dataclass(frozen=True, kw_only=True)
class StateDictOptions(VocabularyOptions):
    """What a state dict of nn.Transformer does not hold; a file of `npformer export` holds all but the vocabularies."""

    n_heads: int = setting(8, "attention heads; jadore: required, n_head", least=1)
    norm: str = setting("post", "nn.Transformer: pre is norm_first=True", choices=("post", "pre"))
    activation: str = setting("relu", "nn.Transformer: its activation", choices=tuple(ACTIVATIONS))
    layer_norm_eps: float = setting(1e-5, "nn.Transformer: LayerNorm's eps", above=0, below=1)
    embedding_scale: str | None = setting(None, "nn.Transformer: factor of embeddings (required)", choices=SCALES)
    source_marks: str = setting("eos", "nn.Transformer: tokens around a source; both: bos, eos", choices=tuple(MARKS))
