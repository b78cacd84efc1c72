def length_penalty(length, alpha):
    return np.exp(alpha * (np.log(5.0 + length) - np.log(6.0)))


def best_continuations(log_p, next_log_p, n):
    entries = []
    for k in range(len(log_p)):
        for v in range(next_log_p.shape[1]):
            entries.append((-(log_p[k] + next_log_p[k, v]), k, v))
    entries.sort()
    values, parents, tokens = zip(*entries[:n])
    return -np.array(values), np.array(parents), np.array(tokens)


def finished_and_open(tokens, eos, beam):
    finished, still_open = [], []
    for place, token in enumerate(tokens):
        finished.append(token == eos and place < beam)
        if token != eos and len(still_open) < beam:
            still_open.append(place)
    return finished, still_open


def is_over(best_score, open_log_p, max_len, alpha):
    return bool(open_log_p <= best_score * length_penalty(max_len, alpha))


def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    state = state[:1]
    hypotheses, done = [(0.0, [])], []
    while True:
        last = np.array([ids[-1] if ids else bos for _, ids in hypotheses])
        said, state = model(last, state)
        so_far = np.array([total for total, _ in hypotheses])
        values, parents, tokens = best_continuations(so_far, said, min(2 * beam, said.size))
        going, rows = [], []
        for rank, (value, parent, token) in enumerate(zip(values, parents, tokens)):
            ids = hypotheses[parent][1] + [int(token)]
            if token == eos:
                if rank < beam:
                    done.append((value / length_penalty(len(ids), alpha), ids))
            elif len(going) < beam:
                going.append((value, ids))
                rows.append(parent)
        hypotheses, state = going, state[rows]
        if len(hypotheses[0][1]) == max_len:
            done += [(value / length_penalty(max_len, alpha), ids) for value, ids in hypotheses]
            break
        if done and max(done)[0] >= hypotheses[0][0] / length_penalty(max_len, alpha):
            break
    score, ids = max(done)
    return np.array(ids + [pad] * (max_len - len(ids))), score
