"""What people write in place of the solution of decoder_layer, and what to say of it."""

from npformer_course.definition import Edit, Mistake

# with a memory of another length these mistakes end in an error, and so are not made there
IF_AS_LONG = "if x.shape == memory.shape else"

SELF_NORM = 'part_of(w, "self_attention.norm")'
CROSS_NORM = 'part_of(w, "cross_attention.norm")'
NETWORK_NORM = 'part_of(w, "feed_forward.norm")'
SELF_WEIGHTS = 'part_of(w, "self_attention.sublayer")'
CROSS_WEIGHTS = 'part_of(w, "cross_attention.sublayer")'

FROM_TARGET = f"from_target = multi_head(x, x, self_mask, {SELF_WEIGHTS}, n_heads)"
FROM_SOURCE = f"from_source = multi_head(u, memory, cross_mask, {CROSS_WEIGHTS}, n_heads)"
U = f"u = norm(x + from_target, {SELF_NORM})"
V = f"v = norm(u + from_source, {CROSS_NORM})"
Y = f"return norm(v + from_network, {NETWORK_NORM})"

WHO_ASKS = "In cross-attention, which array asks, and which one is looked at?"
HOW_MANY_NORMS = "How often is LayerNorm in the formulas?"
UNUSED_NAMES = "Which of the names in the text do not occur in your lines?"
SUM_OR_NORM = "What are u and v in the formulas: sums, or their LayerNorms?"

MISTAKES = [
    Mistake(
        "queries_of_memory",
        "in cross-attention the memory asks, and the target is looked at",
        Edit("multi_head(u, memory,", f"multi_head(*((memory, u) {IF_AS_LONG} (u, memory)),"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "memory_asks_itself",
        "in cross-attention the queries are made from the memory too",
        Edit("multi_head(u, memory,", f"multi_head(memory {IF_AS_LONG} u, memory,"),
        ask=WHO_ASKS,
    ),
    Mistake(
        "memory_not_used",
        "{part} does not depend on the memory: in cross-attention the target looks at itself",
        Edit("multi_head(u, memory,", f"multi_head(u, u {IF_AS_LONG} memory,"),
        ask="Change a source word. Does your translation change?",
    ),
    Mistake(
        "input_looks_at_the_memory",
        "in cross-attention the queries are made from the layer's input",
        Edit("multi_head(u, memory,", "multi_head(x, memory,"),
        ask="What does CrossAttention get first in the formulas?",
    ),
    Mistake(
        "memory_in_self_attention",
        "self-attention looks at the memory, as cross-attention does",
        Edit("multi_head(x, x,", f"multi_head(x, memory {IF_AS_LONG} x,"),
        ask="Which of the two attentions is the one to the sentence itself?",
    ),
    Mistake(
        "self_mask_in_cross_attention",
        "in cross-attention self_mask hides words of the source",
        Edit("memory, cross_mask,", f"memory, self_mask {IF_AS_LONG} cross_mask,"),
        ask="May the first word of a translation depend on the last word of the source?",
    ),
    Mistake(
        "cross_mask_in_self_attention",
        "{part} is what comes out when the target is looked at through cross_mask",
        Edit("x, x, self_mask,", f"x, x, cross_mask {IF_AS_LONG} self_mask,"),
        ask="When the model translates, which words of the target are not written yet?",
    ),
    Mistake(
        "masks_exchanged",
        "{part} is what comes out when each of the two attentions has the mask of the other one",
        Edit("x, x, self_mask,", f"x, x, cross_mask {IF_AS_LONG} self_mask,"),
        Edit("memory, cross_mask,", f"memory, self_mask {IF_AS_LONG} cross_mask,"),
        ask="Which axes does each mask have, and how long is what is looked at?",
    ),
    Mistake(
        "both_masks_in_cross_attention",
        "in cross-attention a query sees what both masks allow",
        Edit("memory, cross_mask,", f"memory, self_mask & cross_mask {IF_AS_LONG} cross_mask,"),
        ask="May the first word of a translation depend on the last word of the source?",
    ),
    Mistake(
        "no_self_mask",
        "{part} does not depend on self_mask",
        Edit("x, x, self_mask,", "x, x, np.ones_like(self_mask),"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_cross_mask",
        "{part} does not depend on cross_mask",
        Edit("memory, cross_mask,", "memory, np.ones_like(cross_mask),"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_masks",
        "{part} does not depend on the masks",
        Edit("x, x, self_mask,", "x, x, np.ones_like(self_mask),"),
        Edit("memory, cross_mask,", "memory, np.ones_like(cross_mask),"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "no_self_attention",
        "there is no self-attention: the layer begins with cross-attention",
        Edit(U, "u = x"),
        ask="How many sub-layers does the text count?",
    ),
    Mistake(
        "no_cross_attention",
        "{part} does not depend on the memory: there is no cross-attention",
        Edit(V, "v = u"),
        ask="Change a source word. Does your translation change?",
    ),
    Mistake(
        "no_network",
        "there is no feed-forward network: y is the second of the three formulas",
        Edit(Y, "return v"),
        ask="How many sub-layers does the text count?",
    ),
    Mistake(
        "cross_attention_first",
        "cross-attention comes first, and self-attention after it",
        Edit(FROM_TARGET, FROM_SOURCE.replace("(u, ", "(x, ")),
        Edit(U, f"u = norm(x + from_source, {CROSS_NORM})"),
        Edit(
            f"{FROM_SOURCE}\n    v = norm(u + from_source, {CROSS_NORM})",
            FROM_TARGET.replace("(x, x, ", "(u, u, ")
            + f"\n    v = norm(u + from_target, {SELF_NORM})",
        ),
        ask="Which of the two attentions is nearer to the input in figure 1?",
    ),
    Mistake(
        "one_attention_for_both",
        "both attentions have the weights of self_attention.sublayer",
        Edit(f"cross_mask, {CROSS_WEIGHTS}", f"cross_mask, {SELF_WEIGHTS}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "cross_attention_for_both",
        "both attentions have the weights of cross_attention.sublayer",
        Edit(f"self_mask, {SELF_WEIGHTS}", f"self_mask, {CROSS_WEIGHTS}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "attentions_exchanged",
        "each of the two attentions has the weights of the other one",
        Edit(f"self_mask, {SELF_WEIGHTS}", f"self_mask, {CROSS_WEIGHTS}"),
        Edit(f"cross_mask, {CROSS_WEIGHTS}", f"cross_mask, {SELF_WEIGHTS}"),
        ask="By their names, for which of the two attentions are the weights that you take?",
    ),
    Mistake(
        "one_norm_for_all",
        "all sums are normalized with the gain and bias of self_attention.norm",
        Edit(f"from_source, {CROSS_NORM}", f"from_source, {SELF_NORM}"),
        Edit(f"from_network, {NETWORK_NORM}", f"from_network, {SELF_NORM}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "self_norm_after_cross_attention",
        "the sum after cross-attention is normalized with the gain and bias of self_attention.norm",
        Edit(f"from_source, {CROSS_NORM}", f"from_source, {SELF_NORM}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "self_norm_at_the_end",
        "the last sum is normalized with the gain and bias of self_attention.norm",
        Edit(f"from_network, {NETWORK_NORM}", f"from_network, {SELF_NORM}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "cross_norm_at_the_end",
        "the last sum is normalized with the gain and bias of cross_attention.norm",
        Edit(f"from_network, {NETWORK_NORM}", f"from_network, {CROSS_NORM}"),
        ask=UNUSED_NAMES,
    ),
    Mistake(
        "norms_of_the_attentions_exchanged",
        "the sums after the two attentions are each normalized with the gain and bias of the other",
        Edit(f"from_target, {SELF_NORM}", f"from_target, {CROSS_NORM}"),
        Edit(f"from_source, {CROSS_NORM}", f"from_source, {SELF_NORM}"),
        ask="Which sub-layer is in front of each of your norms, and whose norm is it by its name?",
    ),
    Mistake(
        "norm_before_the_sum",
        "what a sub-layer computes is normalized, and then added",
        Edit(U, f"u = x + norm(from_target, {SELF_NORM})"),
        Edit(V, f"v = u + norm(from_source, {CROSS_NORM})"),
        Edit(Y, f"return v + norm(from_network, {NETWORK_NORM})"),
        ask="With gain 1 and bias 0, what is the mean of the features of y? Print y.mean(-1).",
    ),
    Mistake(
        "pre_norm",
        "the norms are in front of the sub-layers, and the sums are left alone (pre-norm)",
        Edit("multi_head(x, x, self", f"multi_head(*[norm(x, {SELF_NORM})] * 2, self"),
        Edit(U, "u = x + from_target"),
        Edit("multi_head(u, memory,", f"multi_head(norm(u, {CROSS_NORM}), memory,"),
        Edit(V, "v = u + from_source"),
        Edit("network(v,", f"network(norm(v, {NETWORK_NORM}),"),
        Edit(Y, "return v + from_network"),
        ask="In the formulas, what does SelfAttention get: x, or something normalized?",
    ),
    Mistake(
        "no_residuals",
        "nothing is added to what the sub-layers compute",
        Edit("norm(x + from_target,", "norm(from_target,"),
        Edit("norm(u + from_source,", "norm(from_source,"),
        Edit("norm(v + from_network,", "norm(from_network,"),
        ask="If all sub-layers return 0 everywhere, what of x should still be in the result?",
    ),
    Mistake(
        "no_residual_of_self_attention",
        "nothing is added to what self-attention computes",
        Edit("norm(x + from_target,", "norm(from_target,"),
        ask="How many sums are in the formulas, and what are their summands?",
    ),
    Mistake(
        "no_residual_of_cross_attention",
        "nothing is added to what cross-attention computes",
        Edit("norm(u + from_source,", "norm(from_source,"),
        ask="If cross-attention returns 0 everywhere, what should the network get?",
    ),
    Mistake(
        "no_residual_of_the_network",
        "nothing is added to what the feed-forward network computes",
        Edit("norm(v + from_network,", "norm(from_network,"),
        ask="If the network returns 0 everywhere, what should y be?",
    ),
    Mistake(
        "input_added_after_cross_attention",
        "what cross-attention computes is added to the layer's input",
        Edit("norm(u + from_source,", "norm(x + from_source,"),
        ask="What went into cross-attention first, and what is added to its result?",
    ),
    Mistake(
        "input_added_everywhere",
        "what each sub-layer computes is added to the layer's input",
        Edit("norm(u + from_source,", "norm(x + from_source,"),
        Edit("norm(v + from_network,", "norm(x + from_network,"),
        ask="What goes into each sub-layer first, and what is added to its result?",
    ),
    Mistake(
        "input_added_at_the_end",
        "what the feed-forward network computes is added to the layer's input",
        Edit("norm(v + from_network,", "norm(x + from_network,"),
        ask="What went into the feed-forward network, and what is added to its result?",
    ),
    Mistake(
        "cross_attention_passed_by",
        "what the feed-forward network computes is added to the result of self-attention's norm",
        Edit("norm(v + from_network,", "norm(u + from_network,"),
        ask="What went into the feed-forward network, and what is added to its result?",
    ),
    Mistake(
        "memory_added",
        "what cross-attention computes is added to the memory",
        Edit("norm(u + from_source,", f"norm((memory {IF_AS_LONG} u) + from_source,"),
        ask="A memory may have another length than the target. What is it added to then?",
    ),
    Mistake(
        "network_before_cross_attention",
        "the feed-forward network is given what self-attention's norm gave",
        Edit("network(v,", "network(u,"),
        ask="Does the feed-forward network of your layer know what cross-attention has found?",
    ),
    Mistake(
        "norm_missing_after_self_attention",
        "the sum after self-attention is not normalized",
        Edit(U, "u = x + from_target"),
        ask=HOW_MANY_NORMS,
    ),
    Mistake(
        "norm_missing_after_cross_attention",
        "the sum after cross-attention is not normalized",
        Edit(V, "v = u + from_source"),
        ask=HOW_MANY_NORMS,
    ),
    Mistake(
        "norm_missing_at_the_end",
        "the last sum is not normalized",
        Edit(Y, "return v + from_network"),
        ask=HOW_MANY_NORMS,
    ),
    Mistake(
        "residuals_past_the_norms",
        "the sums go on growing: each holds the one before it as it was before its norm",
        Edit("norm(u + from_source,", "norm(x + from_target + from_source,"),
        Edit("norm(v + from_network,", "norm(x + from_target + from_source + from_network,"),
        ask=SUM_OR_NORM,
    ),
    Mistake(
        "norms_missing",
        "nothing is normalized",
        Edit(U, "u = x + from_target"),
        Edit(V, "v = u + from_source"),
        Edit(Y, "return v + from_network"),
        ask=HOW_MANY_NORMS,
    ),
]
