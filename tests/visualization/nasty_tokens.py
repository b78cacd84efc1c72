"""Tokens that would end a script, a text or an attribute, if they were written as they are."""

NASTY = ["</script>", "<!--", "&amp;", "<b>", '"', "'", "\\", "${x}", "`", "$name"]
NASTY += ["\u2028", "\udc80", "\u202e"]
