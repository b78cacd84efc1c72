def greedy(model, n_sentences, bos, eos, pad, max_len):
    prefix = np.full((n_sentences, 1), bos)
    log_p = np.zeros(n_sentences)
    for t in range(max_len):
        done = (prefix == eos).any(1)
        if done.all():
            break
        last = model(prefix)[:, -1]
        log_p = log_p + ~done * last.max(1)
        prefix = np.hstack([prefix, (last.argmax(1) * ~done + pad * done)[:, None]])
    ids = np.full((n_sentences, max_len), pad)
    ids[:, : prefix.shape[1] - 1] = prefix[:, 1:]
    return ids, log_p
