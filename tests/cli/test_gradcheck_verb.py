import re

import numpy as np
import pytest

from npformer.cli import gradcheck as verb
from npformer.cli import main
from npformer.layers import ReLU
from npformer.testing.cases import CASES, check


@pytest.mark.parametrize("options", [[], ["--brief"]])
def test_correct_gradients_exit_with_status_0(command, options):
    status, out, err = command("gradcheck", "relu", "linear", *options)
    assert (status, err) == (0, "")
    names = ("Linear", "Linear without bias", "ReLU")
    reports = [check(case) for case in CASES if case.name in names]
    expected = []
    for report in reports:
        if options:
            expected.append(f"{report.largest_error:8.1e}  ok     {report.title}")
        else:
            expected += [*str(report).splitlines(), ""]
    *shown, sizes, largest, verdict = out.splitlines()
    assert shown == expected
    # x, weight and bias; x and weight; x
    assert re.fullmatch("3 cases, 6 inputs and parameters, every entry of each, in [0-9]+ s", sizes)
    error = max(report.largest_error for report in reports)
    assert largest == f"largest relative error {error:.1e}, tolerance 1e-07"
    assert verdict == "every gradient agrees with its numeric derivative"


def test_incorrect_gradient_exits_with_status_1(command, monkeypatch):
    monkeypatch.setattr(ReLU, "backward", lambda relu, dy: np.asarray(dy) * (1 + 1e-5))
    status, out, _ = command("gradcheck", "ReLU", "softmax", "--brief")
    assert status == 1
    assert "WRONG  ReLU" in out and out.splitlines()[-1] == "WRONG: ReLU"


def test_list_prints_every_case_without_checking(command):
    assert command("gradcheck", "--list") == (0, "".join(f"{case.name}\n" for case in CASES), "")


def test_only_requested_cases_are_checked(command):
    names = [case.name for case in CASES if "softmax" in case.name.lower()]
    out = command("gradcheck", "SoftMax", "--brief").out
    assert [line.split("ok   ")[1].strip() for line in out.splitlines() if "ok   " in line] == names


def test_largest_error_of_all_cases_is_reported(command):
    out = command("gradcheck", "relu", "softmax", "--brief").out
    errors = {line.split()[0] for line in out.splitlines() if "ok   " in line}
    assert len(errors) > 1 and f"largest relative error {max(errors, key=float)}, tolerance" in out


@pytest.mark.parametrize("name", ["layer_norm", "LAYERNORM"])
def test_case_name_may_be_written_like_a_file_name(command, name):
    assert command("gradcheck", name, "--list") == command("gradcheck", "LayerNorm", "--list")


def test_quick_arrives(command, monkeypatch):
    given = []
    monkeypatch.setattr(verb, "check", lambda case, **how: given.append(how) or check(case, **how))
    command("gradcheck", "relu")
    assert "one random entry of each" in command("gradcheck", "relu", "--quick").out
    assert given[0] == {"entries": None} and given[-1] == {"entries": 1}


@pytest.mark.parametrize("options", [[], ["--brief"]])
def test_each_case_is_shown_at_once(monkeypatch, watch_output, options):
    all_is_shown = watch_output()
    seen = []

    def check_after(case, **how):
        seen.append(all_is_shown())
        return check(case, **how)

    monkeypatch.setattr(verb, "check", check_after)
    assert main(["gradcheck", "linear", "relu", *options]) == 0
    assert seen == [False, True, True]


def test_unknown_case_name_is_rejected(refused):
    for names in (["abacus"], ["LayerNorm", "abacus"]):
        said = "no case is named like abacus: npformer gradcheck --list names all"
        assert said in refused("gradcheck", *names)
