"""Published data sets: downloaded, or in a folder of the user, and checked."""

from . import ag_news, couplets, multi30k, sentence_polarity, shakespeare, trec

__all__ = ["DATA_SETS"]

DATA_SETS = (
    ag_news.DATA_SET,
    couplets.DATA_SET,
    multi30k.DATA_SET,
    sentence_polarity.DATA_SET,
    shakespeare.DATA_SET,
    trec.DATA_SET,
)
