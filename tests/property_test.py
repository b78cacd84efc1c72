"""How properties are tested by Hypothesis."""

from hypothesis import Phase, settings

# derandomize: the same examples in each run; a busy machine may take any time for one, and an
# example that fails is small enough without a search for a smaller one
property_test = settings(
    deadline=None,
    max_examples=100,
    derandomize=True,
    report_multiple_bugs=False,
    phases=[Phase.generate],
)
