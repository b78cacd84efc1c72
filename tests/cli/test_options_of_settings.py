"""Every value that a setting may have is an option, and comes back from its text and from JSON."""

import argparse
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npformer.cli.argument_parser import add_settings
from npformer.decoding import BeamSearchConfig
from npformer.runs.recipe import model_options, training_options
from npformer.utils.settings import LARGEST
from tests.property_test import property_test

SETTINGS = {**model_options(), **training_options(), **BeamSearchConfig.options()}


def values_of(known):
    """Return a strategy for the values of a setting."""
    if known.choices:
        return st.sampled_from(known.choices)
    if known.value_type is bool:
        return st.booleans()
    if known.value_type is int:
        return st.integers(known.least, min(known.most, LARGEST))
    finite = {"allow_nan": False, "allow_infinity": False}
    return st.floats(max(known.least, known.above), min(known.most, known.below), **finite).filter(
        lambda value: known.above < value < known.below
    )


@pytest.mark.parametrize("name", SETTINGS)
@settings(property_test, max_examples=20)
@given(data=st.data())
def test_any_value_of_a_setting_is_an_option(name, data):
    known = SETTINGS[name]
    value = data.draw(values_of(known))
    if known.may_be_none and data.draw(st.booleans()):
        value = None
    text = str(value).lower() if value is None or known.value_type is bool else str(value)

    parser = argparse.ArgumentParser()
    add_settings(parser, {name: known})
    came = parser.parse_args([f"--{name.replace('_', '-')}={text}"])
    assert vars(came) == {name: value}
    assert known.checked(json.loads(json.dumps(value))) == value
    assert type(getattr(came, name)) is type(known.checked(value))
