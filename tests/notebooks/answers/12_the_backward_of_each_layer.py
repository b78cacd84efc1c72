ANSWERS = {
    "sum_of_dx = ...": "sum_of_dx = 0",
    "sum_of_dx_xhat = ...": "sum_of_dx_xhat = 0",
    "dheads = ...  # (1, 4, 10, 16)": "dheads = split_heads(dtotal @ here.w_output.T, 4)",
    "dx = ...  # (1, 10, 64), through f": (
        "dx = merge_heads(dq) @ here.w_query.T + merge_heads(dk) @ here.w_key.T"
        " + merge_heads(dv) @ here.w_value.T"
    ),
    "whole = ...  # (1, 10, 64), in all": "whole = dx + dtotal",
}
WRONG = {
    "layer_norm_backward": (
        "def layer_norm_backward(dy, xhat, rstd, gain):\n"
        "    dxhat = dy * gain\n"
        "    dx = rstd * (dxhat - dxhat.mean(-1, keepdims=True))\n"
        "    return dx, (dy * xhat).sum((0, 1)), dy.sum((0, 1))\n"
    ),
    "dx = ...  # (1, 10, 64), through f": "dx = merge_heads(dq) @ here.w_query.T",
    "whole = ...  # (1, 10, 64), in all": "whole = dx",
}
