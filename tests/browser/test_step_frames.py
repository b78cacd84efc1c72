"""Frames of the step debugger in a notebook: the first holds the page, the others take it from there."""

import pytest

import npformer as npf
from pictures import StepFrame

pytestmark = pytest.mark.browser


def recording_of_a_step():
    sizes = {"d_model": 8, "d_ff": 16, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
    config = npf.TransformerConfig(src_vocab_size=8, tgt_vocab_size=8, **sizes)
    batch = npf.tasks.TranslationBatch.of([[4, 5, 6]], [[6, 5, 4]])
    return npf.step_through(npf.tasks.Objective(npf.Transformer(config, rng=0)), batch)


def picture_of(frame):
    return frame.locator(".array-panel").inner_text()


def test_each_frame_is_at_its_place(open_page):
    frame = StepFrame(recording_of_a_step(), "encoder.tokens.embedding returned")
    arrays = "dscores", "dweights", "dvalue"
    later = [frame.at(f"decoder.layers.0.self_attention {array}") for array in arrays]
    small = "".join(one._repr_html_() for one in later)
    assert len(small) < 6000 < len(frame._repr_html_())
    page = open_page(f"<!doctype html><title>notebook</title>{small}{frame._repr_html_()}", width=1200)
    frames = [page.frame_locator("iframe").nth(i) for i in range(4)]
    for one, array in zip(frames, (*arrays, "returned"), strict=True):
        one.locator(".array-panel").wait_for()
        assert array in picture_of(one).splitlines()[0].split()


def test_a_frame_alone_says_what_it_waits_for(open_page):
    later = StepFrame(recording_of_a_step(), "loss losses").at("decoder.layers.0.self_attention dscores")
    page = open_page(f"<!doctype html><title>notebook</title>{later._repr_html_()}")
    page.wait_for_timeout(500)
    assert "Waits for the first frame" in page.frame_locator("iframe").locator("body").inner_text()
