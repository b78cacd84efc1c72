"""npformer stays small: see "Budgets" of tests/budget.py."""

import budget


def test_lines_are_within_the_budget():
    sizes = budget.sizes()
    assert {name: (sizes[name], most) for name, most in budget.budgets().items() if sizes[name] > most} == {}


def test_every_file_is_counted_once():
    assert sum(budget.lines_by_part().values()) == sum(
        (budget.lines_in("npformer") | budget.lines_in("tests")).values()
    )
