"""What people write in place of the solution of dropout, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "not_scaled",
        "y is 0 where it was dropped, and x elsewhere: it is smaller than x on average",
        Edit("return x * self.factor", "return x * (self.factor > 0)"),
        ask=(
            "Average y over a thousand forwards of the same x. What should come out, and what does?"
        ),
    ),
    Mistake(
        "dx_not_scaled",
        "dx is 0 where y was dropped, and dy elsewhere",
        Edit("return dy * self.factor", "return dy * (self.factor > 0)"),
        ask="Move a kept number of x by h. By how much does its y move?",
    ),
    Mistake(
        "divided_by_p",
        "{part} is what comes out when the kept numbers are divided by p",
        Edit("keep / (1 - self.p)", "keep / self.p"),
        ask=(
            "With p = 0.1, most numbers are kept. How much larger do they have to become, for "
            "the mean to stay?"
        ),
    ),
    Mistake(
        "kept_with_probability_p",
        "{part} is what comes out when a number is kept with probability p, and dropped with 1 - p",
        Edit(">= self.p", "< self.p"),
        ask="With p = 0.1, how many of a thousand numbers should be 0? Count yours.",
    ),
    Mistake(
        "kept_below_1_minus_p",
        "{part} is what comes out when a number is kept where its random number is below 1 - p: "
        "as often as agreed, and at other places",
        Edit(">= self.p", "< 1 - self.p"),
        ask=(
            "With p = 0.1, a random number is 0.95. Is its number of x kept: by the agreement, and "
            "by your lines?"
        ),
    ),
    Mistake(
        "new_mask_in_backward",
        "{part} is what comes out when backward draws random numbers again",
        Edit(
            "return dy * self.factor",
            "return dy * (self.rng.random(dy.shape) >= self.p) / (1 - self.p)",
        ),
        ask=(
            "A number of x was dropped in forward. Which of your lines tells backward which one "
            "it was?"
        ),
    ),
    Mistake(
        "dy_passed_on",
        "dx is dy, as if nothing had been dropped",
        Edit("return dy * self.factor", "return dy.copy()"),
        ask="A number of x was dropped in forward. May the loss move with it?",
    ),
    Mistake(
        "active_in_eval",
        "in eval mode numbers are dropped too",
        Edit("if self.training:", "if self.rng:"),
        ask=(
            "Call forward twice in eval mode with the same x. Should a translation depend on "
            "chance?"
        ),
    ),
    Mistake(
        "scaled_in_eval",
        "in eval mode, what comes in is multiplied by 1 - p",
        Edit("self.factor = np.ones_like(x)", "self.factor = np.full(x.shape, 1 - self.p)"),
        ask=(
            "In training the mean has been kept already. What is left to correct when nothing is "
            "dropped?"
        ),
    ),
    Mistake(
        "draws_in_eval",
        "after a forward in eval mode, the next one in training drops at other places than agreed",
        Edit("np.ones_like(x)", "np.ones_like(x if self.training else self.rng.random(x.shape))"),
        ask=(
            "How many random numbers has the generator given away before the first forward in "
            "training mode?"
        ),
    ),
    Mistake(
        "one_mask_for_ever",
        "{part} is what comes out when the second step drops at the same places as the first",
        Edit(
            "keep = self.rng.random(x.shape) >= self.p",
            "self.keep = keep = getattr(self, 'keep', self.rng.random(x.shape) >= self.p)",
        ),
        ask=(
            "If the same features are always dropped, which ones does the model learn to do "
            "without?"
        ),
    ),
    Mistake(
        "old_mask_in_eval",
        "backward in eval mode drops where the last forward in training did",
        Edit("self.factor = np.ones_like(x)", "factor = np.ones_like(x)"),
        Edit("self.factor = keep", "self.factor = factor = keep"),
        Edit("return x * self.factor", "return x * factor"),
        ask="To which forward does a backward belong?",
    ),
    Mistake(
        "whole_features",
        "{part} is what comes out when a feature is dropped at all positions of all sentences or "
        "at none",
        Edit("self.rng.random(x.shape)", "(self.rng.random(x.shape[-1]) + np.zeros(x.shape))"),
        ask="How many random numbers does the agreement draw for an x of shape (B, T, D)?",
    ),
    Mistake(
        "mode_of_now",
        "backward goes by the mode that holds when it is called, and drops where the last "
        "forward in training did",
        Edit("self.factor = keep", "self.factor = self.kept = keep"),
        Edit("return dy * self.factor", "return dy * (self.kept if self.training else 1)"),
        ask="To which forward does a backward belong, and which mode held then?",
    ),
    Mistake(
        "p_for_keeping",
        "{part} is what comes out when p is the probability that a number is kept",
        Edit(">= self.p", "< self.p"),
        Edit("keep / (1 - self.p)", "keep / self.p"),
        ask="With p = 0.1, how many of a thousand numbers should be 0? Count yours.",
    ),
    Mistake(
        "dropped_where_y_is_0",
        "{part} is what comes out when backward takes a number for dropped wherever y is 0",
        Edit("return x * self.factor", "self.y = x * self.factor\n        return self.y"),
        Edit("return dy * self.factor", "return dy * (self.y != 0) * self.factor.max()"),
        ask="A number of x is 0 and is kept. What is y there, and does the loss move with that x?",
    ),
    Mistake(
        "dropped_where_y_is_0_unscaled",
        "{part} is what comes out when backward takes a number for dropped wherever y is 0, and "
        "does not divide",
        Edit("return x * self.factor", "self.y = x * self.factor\n        return self.y"),
        Edit("return dy * self.factor", "return dy * (self.y != 0) * 1"),
        ask="A number of x is 0 and is kept. What is y there, and does the loss move with that x?",
    ),
    Mistake(
        "divided_twice",
        "{part} is what comes out when backward divides by 1 - p twice",
        Edit("return dy * self.factor", "return dy * self.factor**2"),
        ask=(
            "What is in the array that forward left for backward, and what does backward still "
            "do with it?"
        ),
    ),
    Mistake(
        "binomial",
        "{part} is what comes out when the generator is asked for binomial numbers",
        Edit("self.rng.random(x.shape) >= self.p", "self.rng.binomial(1, 1 - self.p, x.shape)"),
        ask="Which call of the generator does the agreement name, and which one is in your lines?",
    ),
    Mistake(
        "mode_of_now_alone",
        "backward goes by the mode that holds when it is called: in eval mode dx is dy, and in "
        "training mode what is kept of dy is divided by 1 - p",
        Edit(
            "return dy * self.factor",
            "kept = dy * (self.factor > 0)\n        return kept / (1 - self.p) if self.training else dy.copy()",
        ),
        ask=(
            "Forward ran in training, and the mode is changed before backward. Whose gradient does "
            "backward return: that of the y which forward gave, or another?"
        ),
    ),
    Mistake(
        "factors_of_another_layer",
        "{part} is what comes out when backward takes the factors of the layer whose forward ran "
        "last, which is another one",
        Edit("self.factor = np.ones_like(x)", "Dropout.factor = np.ones_like(x)"),
        Edit("self.factor = keep", "Dropout.factor = keep"),
        ask="A model has two of these layers. Where does each of them keep its own factors?",
    ),
]
