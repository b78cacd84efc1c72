def length_penalty(length, alpha):
    return (5 + length) ** alpha / 6**alpha


def best_continuations(log_p, next_log_p, n):
    totals = (next_log_p.T + log_p).T.ravel()
    order = np.argpartition(totals, -n)[-n:]
    order = order[np.argsort(totals[order])[::-1]]
    vocab_size = next_log_p.shape[1]
    return totals[order], order // vocab_size, order % vocab_size


def finished_and_open(tokens, eos, beam):
    finished = np.zeros(len(tokens), dtype=bool)
    finished[:beam] = tokens[:beam] == eos
    return finished, np.argsort(tokens == eos, kind="stable")[:beam]


def is_over(best_score, open_log_p, max_len, alpha):
    return not open_log_p / length_penalty(max_len, alpha) > best_score


def beam_search(model, state, bos, eos, pad, max_len, beam, alpha):
    ids = np.full((beam, max_len), pad)
    last = np.full(beam, bos)
    log_p = np.where(np.arange(beam) == 0, 0.0, -np.inf)
    winners, scores = [np.full(max_len, pad)], [-np.inf]
    for t in range(max_len):
        said, state = model(last, state)
        ends = log_p + said[:, eos]
        words = said.copy()
        words[:, eos] = -np.inf
        n = min(beam, int(np.isfinite(log_p[:, None] + words).sum()))
        values, parents, tokens = best_continuations(log_p, words, n)
        for k in range(len(ends)):
            rank = ((log_p[:, None] + words) > ends[k]).sum() + (ends > ends[k]).sum()
            if rank < beam and np.isfinite(ends[k]):
                winners.append(ids[k].copy())
                winners[-1][t] = eos
                scores.append(ends[k] / length_penalty(t + 1, alpha))
        ids, last, log_p, state = ids[parents], tokens, values, state[parents]
        ids[:, t] = tokens
        if max(scores) >= log_p.max() / length_penalty(max_len, alpha):
            break
    else:
        winners += list(ids)
        scores += list(log_p / length_penalty(max_len, alpha))
    i = int(np.argmax(scores))
    return winners[i], scores[i]
