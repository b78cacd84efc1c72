def expected_match(p, q):
    total = 0
    for of_model, of_reference in zip(p, q):
        total += of_model @ of_reference
    return total / len(p)


def score_ceiling(q):
    return sum(max(row) for row in q) / len(q)
