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
    title = page.locator(".code-panel h2").first.inner_text().strip()
    assert title == "feed_forward_backward"
    assert page.locator("nav > output").inner_text().startswith("1 /")


def test_answer_opens_at_its_first_wrong_result_with_the_entries_that_differ(open_page):
    exercise = course.load("feed_forward_backward")
    text = exercise.key.replace("dhidden * (hidden > 0)", "dhidden * hidden")
    shown = NotebookExercise(exercise, vars(module_of(text, "__main__"))).step()
    page = open_page(shown.html())
    page.wait_for_selector(".app")
    assert page.locator(".current code").first.inner_text() == "dx"
    assert page.locator(".array-panel h2").inner_text() == "yours | expected"

    [places] = [
        places
        for own, places in shown.differing.items()
        if shown.steps[shown.start].made[1].number == own
    ]
    size = shown[shown.steps[shown.start].made[1]].size
    words = page.locator(".differing").inner_text()
    assert 0 < len(places) < size and words.startswith(f"{len(places)} of {size} entries differ")
    assert page.locator(".entry strong").inner_text().startswith("yours[0, 0, 0]") == (
        places[0] == 0
    )
