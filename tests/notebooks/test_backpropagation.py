"""What notebook 09 says of the slopes that a learner writes."""

import pytest

from helpers.backpropagation import check_operations


def value_class(times, divide):
    """Return a class like that of the notebook, with slopes as functions of two numbers."""

    class Value:
        def __init__(self, number, operation="", inputs=(), slopes=()):
            self.number = number
            self.slopes = slopes

        def __mul__(self, other):
            return Value(0, "times", (self, other), times(self.number, other.number))

        def __truediv__(self, other):
            return Value(0, "divide", (self, other), divide(self.number, other.number))

    return Value


def times(u, v):
    return v, u


def divide(u, v):
    return 1 / v, -u / v**2


def unwritten(u, v):
    return ...


def test_right_slopes_stay_the_learners(capsys):
    own = value_class(times, divide)
    assert check_operations(own)(3.0).__mul__.__func__ is own.__dict__["__mul__"]
    assert capsys.readouterr().out == "times: right, divide: right\n"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (unwritten, "divide: not written yet; "),
        (lambda u, v: (1 / v, u / v**2), "the slope for the second is -0.1875 by moving it"),
        (lambda u, v: (1 / u, -u / v**2), "the slope for the first is 0.25 by moving it"),
        (lambda u, v: 1 / v, "TypeError"),
    ],
)
def test_other_slopes_are_replaced_and_the_message_says_why(capsys, wrong, said):
    checked = check_operations(value_class(times, wrong))
    assert (checked(3.0) / checked(4.0)).slopes == (0.25, -0.1875)
    message = capsys.readouterr().out
    assert message.startswith("times: right, divide: ") and said in message
    assert "continues with npformer's divide" in message
