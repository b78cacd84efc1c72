def attention(q, k, v, mask):
    return attention_slowly(q, k, v, mask)
