def surprise(logits, ids):
    found = []
    for row, id in zip(logits, ids):
        largest = max(row)
        total = math.fsum(math.exp(logit - largest) for logit in row)
        found.append(math.log(total) + largest - row[id])
    return found


def bits_per_character(nats):
    return sum(nats) / len(nats) / math.log(2)
