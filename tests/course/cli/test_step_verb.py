"""`npformer course step`: pages of a wrong and of a right answer, and errors in one line."""

import pytest

ID = "layer_norm_backward"


@pytest.mark.parametrize(
    ("wrong", "options", "page"),
    [
        ("dxhat = dy + gain", [], "step.html"),
        ("dxhat = dy * gain", ["--html", "here.html"], "here.html"),
    ],
)
def test_step_writes_page_of_an_answer(command, answer, here, wrong, options, page):
    answer("dxhat = dy * gain", wrong)
    status, out, err = command("course", "step", *options)
    assert (status, err) == (0, "") and out.endswith(f"\n{page}\n")
    assert (": wrong; " in out) == ("+" in wrong) and (": right; " in out) == ("*" in wrong)
    assert (here / page).stat().st_size < 500_000


def test_step_rejects_what_it_cannot_record(command, refused, here):
    assert "there is no exercise 'nothing'" in refused("course", "step", "nothing")
    assert "nothing to step through yet: write something into 12_" in refused("course", "step", ID)
    assert "expected a name that ends in .html" in refused("course", "step", ID, "--html", "x.pdf")
    assert not list(here.glob("*.html"))
