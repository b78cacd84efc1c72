"""The time to grade a class: thirty submissions of all exercises, right and wrong in many ways.

    python benchmarks/grading.py

Each submission has a third of its exercises right (the key or another right answer), half with one
of the mistakes that people make, the rest blank or not handed in; one crashes and one never ends.
At most three minutes on two processors.
"""

import argparse
import tempfile
import time
from pathlib import Path

from npformer_course import course
from npformer_course.files import student_text
from npformer_course.grading.grade_class import grade
from npformer_course.grading.write_results import write_results
from npformer_course.percent_format import TODO


def answer(exercise, turn):
    """Return the text of an answer as good as its turn says, None where none is handed in."""
    if turn % 6 < 2:
        right = [exercise.key, *(f"{exercise.stub}\n{other}" for other in exercise.alternatives)]
        return right[turn // 6 % len(right)]
    if turn % 6 < 5:
        mistakes = exercise.mistakes
        return (
            exercise.mistaken(mistakes[turn // 6 % len(mistakes)])
            if mistakes
            else student_text(exercise)
        )
    return student_text(exercise) if turn // 6 % 3 else None


def hand_in(folder, number):
    """Write one submission: its exercises take turns, and one crashes and one loops."""
    folder.mkdir(parents=True)
    exercises = [course.load(id) for id in course.EXERCISES]
    for index, exercise in enumerate(exercises):
        text = answer(exercise, 5 * number + 7 * index)
        if index == number % len(exercises):
            text = student_text(exercise).replace(TODO, "return [][0]")
        if index == (number + 3) % len(exercises):
            text = student_text(exercise).replace(TODO, "while True: pass")
        if text is not None:
            (folder / f"{exercise.number:02}_{exercise.id}.py").write_text(text, encoding="utf-8")


def timed(folder, out, **settings):
    """Grade, and return the results and the seconds."""
    begin = time.perf_counter()
    results = grade(folder, course.EXERCISES, **settings)
    write_results(results, out, seed=1706)
    return results, time.perf_counter() - begin


def main():
    """Print the times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "submissions")
        for number in range(options.students):
            hand_in(folder / f"student{number:02}", number)
        results, seconds = timed(folder, Path(place, "results"), workers=options.workers)
        _, alone = timed(folder / "student00", Path(place, "alone"), workers=options.workers)
    outcomes = [
        part.outcome for reports in results.values() for report in reports for part in report.parts
    ]
    n = len(course.EXERCISES)
    print(
        f"{options.students} submissions of {n} exercises: {seconds:.1f} s, one alone {alone:.1f} s"
    )
    print(", ".join(f"{outcomes.count(kind)} {kind}" for kind in sorted({*outcomes})))


if __name__ == "__main__":
    main()
