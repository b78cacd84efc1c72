"""What is written in notebook 04b, right and wrong."""

PRODUCTS = "products = ...  # (5,), from T, d_model, h and d_k"

ANSWERS = {PRODUCTS: "products = 4 * T * d_model * h * d_k + 2 * h * T**2 * d_k"}
WRONG = {PRODUCTS: "products = 3 * T * d_model * h * d_k + 2 * h * T**2 * d_k"}
