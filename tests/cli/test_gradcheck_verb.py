import numpy as np
import pytest

from npformer.layers import ReLU
from npformer.proofs.cases import CASES


@pytest.mark.parametrize("options", [[], ["--brief"], ["--seed", "3"]])
def test_right_gradients_end_with_status_0(command, options):
    status, out, err = command("gradcheck", "relu", *options)
    assert (status, err) == (0, "")
    assert out.endswith("every gradient agrees with its numeric derivative\n")


def test_an_impossible_tolerance_ends_with_status_1_and_names_the_cases(command):
    status, out, _ = command("gradcheck", "LayerNorm", "--tolerance", "1e-30")
    assert status == 1
    assert "WRONG: LayerNorm" in out.splitlines()[-1]


def test_a_wrong_gradient_ends_with_status_1(command, monkeypatch):
    monkeypatch.setattr(ReLU, "backward", lambda relu, dy: np.asarray(dy) * (1 + 1e-5))
    status, out, _ = command("gradcheck", "ReLU", "--brief")
    assert status == 1
    assert "WRONG  ReLU" in out


def test_the_list_names_every_case_and_checks_none(command):
    assert command("gradcheck", "--list") == (0, "".join(f"{case.name}\n" for case in CASES), "")


def test_only_the_cases_asked_for_are_checked(command):
    names = [case.name for case in CASES if "softmax" in case.name.lower()]
    out = command("gradcheck", "SoftMax", "--brief").out
    assert [line.split("ok   ")[1].strip() for line in out.splitlines() if "ok   " in line] == names


def test_a_name_that_no_case_has_is_refused(refused):
    assert "no case is named like abacus: npformer gradcheck --list names all" in refused("gradcheck", "abacus")
