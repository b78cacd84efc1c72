"""`npformer generate`: the prompt and what follows, as it is drawn."""

import io
import re
import shlex
import sys

import pytest

import npformer as npf
from npformer.cli import main
from npformer.tasks import TextGenerator


@pytest.fixture(scope="module")
def writer(text_run):
    return npf.load(text_run)


@pytest.mark.parametrize(
    ("options", "how"),
    [
        ([], {}),
        (["--temperature", "0.5"], {"temperature": 0.5}),
        (["--temperature", "0"], {"top_k": 1}),
        (["--top-k", "2"], {"top_k": 2}),
        (["--top-p", "0.4"], {"top_p": 0.4}),
        (["--top-k", "1", "--top-p", "1"], {"top_k": 1}),
        (
            ["--top-k", "5", "--top-p", "0.9", "--temperature", "2"],
            {"top_k": 5, "top_p": 0.9, "temperature": 2.0},
        ),
    ],
)
def test_prompt_and_continuation_are_printed(command, text_run, writer, options, how):
    expected = "the " + writer.generate("the ", 40, rng=0, **how) + "\n"
    assert command("generate", text_run, "the ", "--max-new-tokens", 40, "--seed", 0, *options) == (
        0,
        expected,
        "",
    )


def test_each_token_is_flushed_before_next_is_sampled(command, text_run, monkeypatch):
    shown, flushed, before = io.StringIO(), [""], []

    def stream(self, prompt, n, **how):
        for piece in "abc":
            before.append(flushed[-1])
            yield piece

    shown.flush = lambda: flushed.append(shown.getvalue())
    monkeypatch.setattr(TextGenerator, "stream", stream)
    monkeypatch.setattr(sys, "stdout", shown)
    assert main(["generate", str(text_run), "the"]) == 0
    assert before == ["the", "thea", "theab"]
    assert shown.getvalue() == "theabc\n"


def test_unknown_characters_are_named_and_printed_unchanged(command, text_run):
    status, out, err = command("generate", text_run, "thé dög", "--max-new-tokens", 5, "--seed", 1)
    assert (status, err) == (0, "npformer: unknown, read as <unk>: é, ö\n")
    assert out.startswith("thé dög") and len(out) == len("thé dög") + 5 + 1


def test_long_prompt_is_truncated_with_a_warning(command, text_run, writer):
    prompt = "the dog sings.\nthe cat "
    status, out, err = command(
        "generate", text_run, prompt, "--temperature", 0, "--max-new-tokens", 9
    )
    came = f"the prompt has {len(prompt)} tokens, more than max_len = 16: only its last 8 are read"
    assert (status, err) == (0, f"npformer: {came}\n")
    assert out == prompt + writer.generate(prompt[-8:], 9, temperature=0) + "\n"
    assert command("generate", text_run, prompt[:16], "--max-new-tokens", 1).err == ""


def test_terminal_control_characters_become_spaces(command, text_run, monkeypatch):
    monkeypatch.setattr(
        TextGenerator,
        "stream",
        lambda self, *given, **how: iter(["a\x1b[2J", "\r", "\n\tb\u2028c\u2029"]),
    )
    assert command("generate", text_run, "the").out == "thea [2J \n\tb\u2028c\u2029\n"


@pytest.mark.parametrize(
    ("prompt", "options", "expected"),
    [
        ("", [], "the prompt is empty: give at least one token"),
        (
            "the",
            ["--max-new-tokens", "0"],
            "argument --max-new-tokens: expected an integer >= 1, got '0'",
        ),
        (
            "the",
            ["--temperature", "-1"],
            "argument --temperature: expected a number >= 0, got '-1'",
        ),
        (
            "the",
            ["--temperature", "nan"],
            "argument --temperature: expected a number >= 0, got 'nan'",
        ),
        (
            "the",
            ["--temperature", "warm"],
            "argument --temperature: expected a number >= 0, got 'warm'",
        ),
        (
            "the",
            ["--top-p", "1.5"],
            "argument --top-p: expected a number above 0 and 1 at most, got '1.5'",
        ),
        ("th\udce9", [], "expected text in UTF-8"),
    ],
)
def test_invalid_generate_options_are_rejected(
    command, refused, text_run, prompt, options, expected
):
    assert expected in refused("generate", text_run, prompt, *options)
    assert command("generate", text_run, prompt, *options).out == ""


def test_ctrl_c_ends_line_and_program(command, text_run, monkeypatch):
    def stream(self, *given, **how):
        yield " dog"
        raise KeyboardInterrupt

    monkeypatch.setattr(TextGenerator, "stream", stream)
    assert command("generate", text_run, "the") == (130, "the dog\n", "")


def test_command_printed_after_training_works(
    command, running_text, single_stack_options, tmp_path, without_pictures
):
    options = [
        *single_stack_options,
        "--n-decoder-layers",
        1,
        "--epochs",
        1,
        "--run",
        tmp_path / "run",
    ]
    out = command("train", "--text", running_text, *options).out
    [line] = re.findall(r"^generate with  npformer (.*)$", out, re.MULTILINE)
    assert command(*shlex.split(line)).status == 0
