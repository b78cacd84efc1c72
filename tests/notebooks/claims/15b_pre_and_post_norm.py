from npformer.training import WarmupSchedule

# gradients of the layers
ratios = {norm: runs[:, -1] / runs[:, 0] for norm, runs in gradients.items()}  # (3,) each
assert (ratios["post"] > 2).all() and (ratios["pre"] > 0.4).all() and (ratios["pre"] < 1).all()

# one step
post_1, pre_1, post_4, pre_4 = table
assert abs(post_4[:2] - [1.87, 0.14]).max() < 0.06, post_4
assert abs(pre_4[:2] - [1.29, 0.3]).max() < 0.06, pre_4
for deep, shallow in ((post_4, post_1), (pre_4, pre_1)):
    assert deep[0] > 1.3 * shallow[0] and deep[2] > 1.3 * shallow[2]
assert abs(table[:, 3] - 1).max() < 0.05
assert 1.7 < post_4[2] / pre_4[2] < 2.3, post_4[2] / pre_4[2]
assert post_1[0] > 1.15 * pre_1[0] and post_1[2] > 1.15 * pre_1[2]

# at the first rate of the warm-up
assert np.isclose(WarmupSchedule.with_peak(0.01, 32, 50)(1), 0.0002)
RATE = 0.0002
gentle = np.array([one_step("post", 4, seed, False) for seed in range(3)])
assert (gentle[:, 0] < 0.35).all() and (gentle[:, 1] > 0.85).all(), gentle

# the trainings
floor = least_possible()
assert round(floor, 2) == 0.55
assert min(WITHOUT["post", 0.01]) > 2 > max(WITHOUT["pre", 0.01]) > max(WITH_WARMUP["pre", 0.01])
assert max(WITHOUT["post", 0.001]) < max(WITH_WARMUP["post", 0.001])
assert abs(np.mean(WITHOUT["pre", 0.003]) - floor - 0.22) < 0.01
assert abs(np.mean(WITH_WARMUP["post", 0.003]) - floor - 0.4) < 0.03
