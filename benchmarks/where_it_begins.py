"""Measure "where it begins" of the step debugger: how often the line that it names is the line that was changed.

Answers are wrong in two ways: the mistakes of the exercises, which are edits of the key, and right answers in other
styles in which one operator, constant or minus sign is changed; of those, the answer that was changed is not among the
right ones that it is compared with.

python benchmarks/where_it_begins.py [ID ...] [--seed N]
"""

import argparse
import ast
import random
import warnings
from collections import Counter
from difflib import SequenceMatcher

from npformer_course import index as course
from npformer_course.exercise import module_of
from npformer_course.exercise_at_seed import case_at
from npformer_course.step.origin import RightArrays, find_origin, solutions
from npformer_course.step.recording import Recording, record
from npformer_course.tolerance import right

SAID = ("right line", "later line", "earlier line")
COLUMNS = ("said", "silent", *SAID, "not recorded")
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
MOST = 5  # mutations of an answer


def changed_lines(before, after):
    """Return the lines of a text that another one lacks, with the line after each that is gone."""
    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    return {line for *_, start, end in blocks for line in range(start + 1, max(end, start + 1) + 1)}


def mutations(text, rng):
    """Return wrong variants of an answer with the line of each change."""
    places = [n for n in ast.walk(ast.parse(text)) if getattr(n, "lineno", 0)]
    chosen = [
        place
        for place, node in enumerate(places)
        if (isinstance(node, ast.BinOp) and type(node.op) in SWAPPED)
        or (isinstance(node, ast.Constant) and type(node.value) in (int, float))
        or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub))
    ]
    for place in rng.sample(chosen, min(MOST, len(chosen))):
        tree = ast.parse(text)
        node = [n for n in ast.walk(tree) if getattr(n, "lineno", 0)][place]
        before = ast.unparse(tree)
        if isinstance(node, ast.BinOp):
            node.op = SWAPPED[type(node.op)]()
        elif isinstance(node, ast.Constant):
            node.value += 1
        else:
            node.op = ast.UAdd()
        after = ast.unparse(tree)
        yield after, changed_lines(before, after)


def outcome(case, text, lines, texts, known):
    """Return what the named line is for an answer, or None if no call shows that it is wrong."""
    exercise = case.exercise
    for call in exercise.calls:
        module = module_of(text)
        with exercise.closed_loops(vars(module)):
            recordings = [
                Recording(record(module, call, one.inputs).values[0], "") for one in case.draws
            ]
        expected = case.expected[call.name]
        wrong = [
            len(one.results) != len(values)
            or any(
                isinstance(got, str) or not right(got, value)
                for got, value in zip(one.results, values, strict=False)
            )
            for one, values in zip(recordings, expected, strict=True)
        ]
        if not any(wrong):
            continue
        if any(recording.ending for recording in recordings):
            return "not recorded"
        bad = [i for i in range(len(wrong)) if wrong[i]]
        for i in bad:
            if (call.name, i) not in known:
                known[call.name, i] = RightArrays(exercise, call, case.draws[i], texts)
        rights = [known[call.name, i] for i in bad]
        found = find_origin([recordings[i] for i in bad], rights)
        if found is None:
            return "silent"
        return SAID[0 if found.line in lines else 1 if found.line > min(lines) else 2]
    return None


def measured(exercise, rng):
    """Return the outcomes for the mistakes of an exercise, and for changed answers in other styles."""
    case, known = case_at(exercise.id, 0), {}
    mistaken, changed = Counter(), Counter()
    for mistake in exercise.mistakes:
        text = exercise.mistaken(mistake)
        mistaken[outcome(case, text, changed_lines(exercise.key, text), (), known)] += 1
    for text in exercise.alternatives:
        others, known = [one for one in solutions(exercise) if not one.endswith(text)], {}
        start = exercise.stub.count("\n") + 2
        for wrong, lines in mutations(text, rng):
            lines = {start + line for line in lines}
            changed[outcome(case, f"{exercise.stub}\n\n{wrong}", lines, others, known)] += 1
    return mistaken, changed


def row(name, outcomes):
    """Return a row of the table."""
    outcomes["said"] = said = sum(outcomes[key] for key in SAID)
    share = f"{outcomes[SAID[0]] / said:8.0%}" if said else ""
    return f"{name:24}{''.join(f'{outcomes[key]:13}' for key in COLUMNS)}{share}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ids", nargs="*", default=course.ids())
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="of the places that are changed in answers in other styles",
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    total = Counter(), Counter()
    print(f"{'':24}{''.join(f'{key:>13}' for key in COLUMNS)}{'right':>8}")
    for id in options.ids:
        found = measured(course.load(id), random.Random(options.seed))
        for sums, outcomes, name in zip(total, found, (id, "   in other styles"), strict=True):
            sums.update(outcomes)
            print(row(name, outcomes), flush=True)
    for sums, name in zip(total, ("all mistakes", "all in other styles"), strict=True):
        print(row(name, sums))


if __name__ == "__main__":
    main()
