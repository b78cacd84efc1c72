def embed(ids, table):
    return np.take(np.sqrt(table.shape[1]) * table, ids, axis=0)
