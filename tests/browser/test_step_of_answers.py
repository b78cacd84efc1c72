"""The page that steps through a student's answer, in a browser."""

import pytest

from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.notebook import NotebookExercise

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_keys_lead_through_an_answer_to_the_results(open_page, width, scheme):
    exercise = course.load("feed_forward_backward")
    text = exercise.key.replace("dhidden * (hidden > 0)", "dhidden * hidden  # <img src=x>")
    shown = NotebookExercise(exercise, vars(module_of(text, "__main__"))).step()
    page = open_page(shown.html(), width=width, color_scheme=scheme)
    page.wait_for_selector(".app")
    assert not page.locator(".figure-panel").is_visible() and page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("End")
    assert "results" in page.locator(".code-panel h2").inner_text()
    assert page.locator(".array-panel h2").inner_text() == "yours | expected"
    page.keyboard.press("Home")
    assert page.locator("nav > output").inner_text().startswith("1 /")
