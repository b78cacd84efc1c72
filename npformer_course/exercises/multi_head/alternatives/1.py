def multi_head_attention(query, key, value, mask, w_query, w_key, w_value, w_output, n_heads):
    return multi_head_attention_slowly(
        query, key, value, mask, w_query, w_key, w_value, w_output, n_heads
    )
