"""What is written in notebook 09, right and wrong."""

TIMES = "        slopes = ...  # of the product: for self, for other"
DIVIDE = "        slopes = ...  # of the fraction: for self, for other"
CHAIN = "dw = ...  # from e, b and x"
STEP = "updated = ...  # w and c, as one array"

ANSWERS = {
    TIMES: "        slopes = (other.number, self.number)",
    DIVIDE: "        slopes = (1 / other.number, -self.number / other.number**2)",
    CHAIN: "dw = 2 * e * (b > 0) * x",
    STEP: "updated = parameters - rate * gradient",
}
WRONG = {
    DIVIDE: "        slopes = (1 / other.number, self.number / other.number**2)",
    CHAIN: "dw = 2 * e * b * x",
    STEP: "updated = parameters + rate * gradient",
}
