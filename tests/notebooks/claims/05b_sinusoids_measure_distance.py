# the waves of 512 features
assert np.allclose(ratios, 10000 ** (2 / 512), rtol=1e-9) and round(ratios[0], 3) == 1.037
assert np.isclose(wavelengths[0], 2 * np.pi)
assert round(wavelengths[-1]) == 60611 and round(np.median(wavelengths)) == 617 and n_turning == 58

# rotations
for k in (1, 7, 50, 300, -1, -20):
    pos = np.arange(max(0, -k), 64 - max(0, k))
    assert np.allclose(table[pos + k], table[pos] @ step_matrix(k, 128).T, rtol=0, atol=1e-12)
assert np.allclose(block @ [np.sin(1.5), np.cos(1.5)], [np.sin(2.4), np.cos(2.4)])
r_3, r_4, r_7 = (step_matrix(k, 128) for k in (3, 4, 7))
assert np.allclose(r_3 @ r_4, r_7, rtol=0, atol=1e-12)
assert np.allclose(r_7.T @ r_7, np.eye(128), rtol=0, atol=1e-12)

# dot products
assert spread < 1e-11 and np.allclose(products, products.T)
assert np.isclose(by_distance[0], 128 / 2) and first_rise == 11

# heads
assert (heads["all 64 pairs"].argmax(-1)[8:56] == np.arange(8, 56) - 1).all()
found = [head[30, 29] for head in heads.values()]
assert 0.5 < found[1] < found[0] < 0.6 and 0.25 < found[2] < 0.35 and abs(found[3] - 1 / 64) < 1e-3
of_paper = [Softmax().forward(scale * asked_for @ paper[:, :64].T)[29] for scale in (0.5, 1 / 8)]
assert np.round(of_paper, 2).tolist() == [0.92, 0.32], of_paper

# words
wide, narrow = np.array(shares[64]), np.array(shares[16])
assert wide[0, 0] == narrow[0, 0] == narrow[4, 0] == 1
assert wide[2, 0] == 0 and wide[2, 1] == wide[3, 1] == 1
half = weights_of_head(range(16), table + words * (np.arange(128) >= 16)).argmax(-1)[positions]
assert (half == positions).mean() > 0.9

# the authors' table
n_waves = 64
theirs = np.outer(np.arange(64), 10000.0 ** -(np.arange(n_waves) / (n_waves - 1)))
theirs = np.concatenate([np.sin(theirs), np.cos(theirs)], axis=1)
longest = 2 * np.pi / np.arctan2(theirs[1, n_waves - 1], theirs[1, -1])
assert np.isclose(longest, 10000 * 2 * np.pi, rtol=1e-9)
their_products = theirs @ theirs.T
assert max(np.ptp(np.diagonal(their_products, k)) for k in range(-63, 64)) < 1e-11
assert abs(their_products - products).max() > 0.5

# question 2
long_table = sinusoids(2000, 128)
distances = np.linalg.norm(long_table[1:] - long_table[0], axis=1)  # of positions 1 to 1999
assert distances.argmin() == 0 and distances[43] > 2 * distances[0]
assert np.allclose(distances**2, 128 - 2 * long_table[1:] @ long_table[0])
