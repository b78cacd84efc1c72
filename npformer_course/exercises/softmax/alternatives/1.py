def softmax(x):
    rows = x.reshape(-1, x.shape[-1])
    y = np.empty(rows.shape)
    for i, row in enumerate(rows):
        largest = max(row)
        powers = [float(np.exp(score - largest)) for score in row]
        y[i] = np.array(powers) / sum(powers)
    return y.reshape(x.shape)
