"""Own answers to the exercises on scores, bootstrap_interval and score_ceiling: wrong and right."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

DRAWN = "def drawn_differences(a, b, draws):\n    return (a - b)[draws].mean(1)\n\n\n"


def interval(*lines):
    """Return an answer to bootstrap_interval whose second function has these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"{DRAWN}def bootstrap_interval(a, b, draws, level):\n{body}"


def report_of(id, code, seed):
    exercise = course.load(id)
    return check(case_at(id, seed), f"{exercise.stub}\n\n{code}", run_here)


WRONG = [
    (
        "bootstrap_interval",
        "differences",
        "different draws",
        "def drawn_differences(a, b, draws):\n"
        "    return a[draws].mean(1) - b[draws][::-1].mean(1)\n",
    ),
    (
        "bootstrap_interval",
        "differences",
        "counts once",
        "def drawn_differences(a, b, draws):\n"
        "    return [sum(a[i] - b[i] for i in set(row)) / len(set(row)) for row in draws]\n",
    ),
    (
        "bootstrap_interval",
        "differences",
        "added up",
        "def drawn_differences(a, b, draws):\n    return (a[draws] - b[draws]).sum(1)\n",
    ),
    (
        "bootstrap_interval",
        "low",
        "both sides together",
        interval("d = drawn_differences(a, b, draws)", "return np.quantile(d, [1 - level, level])"),
    ),
    (
        "bootstrap_interval",
        "high",
        "taken for a percent",
        interval(
            "d = drawn_differences(a, b, draws)",
            "half = (1 - level) / 2",
            "return np.percentile(d, half), np.percentile(d, 1 - half)",
        ),
    ),
    (
        "bootstrap_interval",
        "low",
        "1.96 standard deviations",
        interval(
            "d = drawn_differences(a, b, draws)",
            "way = 1.96 * np.sqrt(((d - d.mean()) ** 2).mean())",
            "return d.mean() - way, d.mean() + way",
        ),
    ),
    (
        "bootstrap_interval",
        "high",
        "a's interval less the other end",
        interval(
            "s = [0.5 - level / 2, 0.5 + level / 2]",
            "low_a, high_a = np.quantile(a[draws].mean(1), s)",
            "low_b, high_b = np.quantile(b[draws].mean(1), s)",
            "return low_a - high_b, high_a - low_b",
        ),
    ),
    (
        "score_ceiling",
        "expected match",
        "most probable answers of both",
        "def expected_match(p, q):\n"
        "    return sum(np.argmax(a) == np.argmax(b) for a, b in zip(p, q)) / len(p)\n",
    ),
    (
        "score_ceiling",
        "expected match",
        "number of answers as well",
        "def expected_match(p, q):\n    return np.mean(p * q)\n",
    ),
    (
        "score_ceiling",
        "ceiling",
        "draws its answers",
        "def score_ceiling(q):\n    return expected_match(q, q)\n",
    ),
    (
        "score_ceiling",
        "ceiling",
        "equally usual",
        "def score_ceiling(q):\n    return np.mean([1 / np.count_nonzero(row) for row in q])\n",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "part", "says", "code"), WRONG, ids=[f"{id}: {says}" for id, _, says, _ in WRONG]
)
def test_wrong_answer_is_refused_and_named(id, part, says, code, seed):
    if "expected_match(q, q)" in code:
        code = "def expected_match(p, q):\n    return (p * q).sum(1).mean()\n\n\n" + code
    [found] = [one for one in report_of(id, code, seed).parts if one.name == part]
    assert found.outcome == "wrong" and found.finding.kind == "mistake"
    assert says in found.finding.text


RIGHT = [
    # a list of floats, and an array of both ends
    (
        "bootstrap_interval",
        "def drawn_differences(a, b, draws):\n"
        "    return [float(np.dot(a[row] - b[row], np.ones(len(row)))) / len(row) for row in draws]\n"
        "\n\n"
        "def bootstrap_interval(a, b, draws, level):\n"
        "    ends = (1 + level * np.array([-1, 1])) / 2\n"
        "    return np.quantile(drawn_differences(a, b, draws), ends)\n",
    ),
    # the quantile written out, and one end by the other
    (
        "bootstrap_interval",
        interval(
            "d = np.sort(drawn_differences(a, b, draws))",
            "def quantile(d):",
            "    place = (1 - level) / 2 * (len(d) - 1)",
            "    i = int(place)",
            "    after = d[min(i + 1, len(d) - 1)]",
            "    return d[i] * (1 - (place - i)) + after * (place - i)",
            "return [quantile(d), -quantile(-d[::-1])]",
        ),
    ),
    # cumulative sums and a sorted copy
    (
        "score_ceiling",
        "def expected_match(p, q):\n"
        "    return np.cumsum(p * q, axis=1)[:, -1].sum() / p.shape[0]\n"
        "\n\n"
        "def score_ceiling(q):\n"
        "    return float(np.sort(q)[:, ::-1][:, 0].sum()) / len(q)\n",
    ),
    # all answers that share the largest number, equally often
    (
        "score_ceiling",
        "def expected_match(p, q):\n"
        "    return np.vdot(p, q) / len(p)\n"
        "\n\n"
        "def score_ceiling(q):\n"
        "    best = q == q.max(1, keepdims=True)\n"
        "    return expected_match(best / best.sum(1, keepdims=True), q)\n",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "code"), RIGHT, ids=[f"{id}-{n}" for n, (id, _) in enumerate(RIGHT)]
)
def test_right_answer_in_an_odd_style_passes(id, code, seed):
    report = report_of(id, code, seed)
    assert report.passed, [part.name for part in report.parts if part.outcome != "right"]
