"""The engines that translate.

Each is built from a task; `translate(beam)` is timed, and `ids(result)` reads what it returned.
The libraries are imported inside, so that a process has only its own.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace

from sizes import BOS, SIZES, Size
from translate_model import EPS, reference_model

from npformer import decoding
from npformer.utils.threads_and_memory import keep_freed_memory

PAD = 0
SOURCE_TOKENS = 12
NEW_TOKENS = 30


def task_size(sentences: int, size: Size = SIZES[256]) -> Size:
    """Return a size whose sentences all have SOURCE_TOKENS tokens."""
    return replace(size, sentences=sentences, shortest=SOURCE_TOKENS, longest=SOURCE_TOKENS)


@dataclass(frozen=True)
class Task:
    """A model and its sentences; `ctranslate2` is the folder of CTranslate2's model."""

    size: Size
    threads: int
    ctranslate2: str = ""

    def src(self):
        """Return the source ids (sentences, tokens); none of them is padding or <eos>."""
        return self.size.batches()[0][0]


class NPFormer:
    """npformer, as its Translator calls it; no token has the id -1, so none ends a sentence."""

    beams = (1, 4)

    def __init__(self, task: Task):
        keep_freed_memory()  # as `npformer translate` does
        self.model = reference_model(task.size)
        self.model.eval()
        self.src = task.src()

    def translate(self, beam: int):
        max_extra_tokens = NEW_TOKENS - SOURCE_TOKENS
        if beam == 1:
            return decoding.greedy_decode(
                self.model, self.src, bos_id=BOS, eos_id=-1, max_extra_tokens=max_extra_tokens
            )
        found = decoding.beam_search(
            self.model,
            self.src,
            beam=beam,
            bos_id=BOS,
            eos_id=-1,
            max_extra_tokens=max_extra_tokens,
        )
        return [hypotheses[0].ids for hypotheses in found]

    def ids(self, result) -> list[list[int]]:
        return [[int(i) for i in sentence] for sentence in result]


class NNTransformer:
    """nn.Transformer as in the usual tutorials: the decoder reads the whole prefix at each step."""

    beams = (1,)

    def __init__(self, task: Task):
        import models_torch
        import torch
        from translate_weights import fill_nn_transformer

        # the encoder makes them of what is padded
        warnings.filterwarnings("ignore", message=".*nested tensors")
        self.torch = torch
        self.src = torch.from_numpy(task.src())
        self.model = models_torch.UserTransformer(
            replace(task.size.config(0.0), layer_norm_eps=EPS)
        ).eval()
        fill_nn_transformer(self.model, task.size)

    def translate(self, beam: int):
        torch = self.torch
        embedding = self.model.embedding
        transformer = self.model.transformer
        with torch.inference_mode():
            padding = self.src == PAD
            memory = transformer.encoder(embedding(self.src), src_key_padding_mask=padding)
            tgt = torch.full((len(self.src), 1), BOS)
            for _ in range(NEW_TOKENS):
                future = transformer.generate_square_subsequent_mask(tgt.shape[1]) != 0
                masks = {
                    "tgt_mask": future,
                    "tgt_is_causal": True,
                    "memory_key_padding_mask": padding,
                }
                y = transformer.decoder(embedding(tgt), memory, **masks)
                tgt = torch.cat([tgt, embedding.logits(y[:, -1:]).argmax(-1)], 1)
        return tgt

    def ids(self, result) -> list[list[int]]:
        return result[:, 1:].tolist()


class Marian:
    """MarianMTModel.generate with its cache.

    It has no <eos>, which spares it a tenth of greedy search.
    """

    beams = (1, 4)

    def __init__(self, task: Task):
        import torch
        from transformers import MarianConfig, MarianMTModel
        from translate_weights import fill_marian

        size = task.size
        config = MarianConfig(
            encoder_layers=size.n_layers,
            encoder_attention_heads=size.n_heads,
            encoder_ffn_dim=size.d_ff,
            decoder_layers=size.n_layers,
            decoder_attention_heads=size.n_heads,
            decoder_ffn_dim=size.d_ff,
            vocab_size=size.vocab_size,
            d_model=size.d_model,
            max_position_embeddings=size.config(0.0).max_len,
            activation_function="relu",
            scale_embedding=True,
            pad_token_id=PAD,
            bos_token_id=BOS,
            decoder_start_token_id=BOS,
            eos_token_id=None,
            forced_eos_token_id=None,
        )
        self.torch = torch
        self.src = torch.from_numpy(task.src())
        self.model = MarianMTModel(config).eval()
        fill_marian(self.model, size)

    def translate(self, beam: int):
        options = {"num_beams": beam, "do_sample": False, "max_new_tokens": NEW_TOKENS}
        with self.torch.inference_mode():
            return self.model.generate(self.src, attention_mask=(self.src != PAD).long(), **options)

    def ids(self, result) -> list[list[int]]:
        return result[:, 1:].tolist()


class CTranslate2:
    """CTranslate2 in float32, with or without MKL; `batch` sentences at a time.

    Its words are the ids' digits.
    """

    beams = (1, 4)

    def __init__(self, task: Task, mkl: bool, batch: int):
        os.environ["CT2_USE_MKL"] = str(int(mkl))  # read when the library is loaded
        import ctranslate2

        threads = {"inter_threads": 1, "intra_threads": task.threads}
        self.translator = ctranslate2.Translator(
            task.ctranslate2, device="cpu", compute_type="float32", **threads
        )
        self.words = [[str(i) for i in sentence] for sentence in task.src()]
        self.options = {
            "max_batch_size": batch,
            "min_decoding_length": NEW_TOKENS,
            "max_decoding_length": NEW_TOKENS,
        }

    def translate(self, beam: int):
        return self.translator.translate_batch(self.words, beam_size=beam, **self.options)

    def ids(self, result) -> list[list[int]]:
        return [[int(word) for word in best.hypotheses[0]] for best in result]
