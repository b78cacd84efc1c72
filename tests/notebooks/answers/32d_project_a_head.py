"""What is written in notebook 32d, right and wrong."""

SURE = "sure = ..."
SHARE = "share = ...  # from before, after and other"

ANSWERS = {
    SURE: "sure = logits[right] - logits[wrong]",
    SHARE: "share = (after - before) / (other - before)",
}
WRONG = {SURE: "sure = logits[right] / logits[wrong]", SHARE: "share = after / other"}
