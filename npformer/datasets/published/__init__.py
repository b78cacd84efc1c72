"""Published data sets, downloaded and checked."""

from . import ag_news, couplets, multi30k, sentence_polarity, shakespeare, trec

__all__ = ["DATA_SETS"]

DATA_SETS = tuple(
    module.DATA_SET
    for module in (ag_news, couplets, multi30k, sentence_polarity, shakespeare, trec)
)
