"""Go on with a text, token by token, as a trained language model draws them. After -- a prompt may begin with -."""

from ..decoding import TextGenerator
from ..utils.malloc import keep_freed_memory
from .options import named, sentence, whole_number
from .output import steering_nothing, tell

USAGE = "[options] RUN PROMPT"


def add_options(parser) -> None:
    """Add what may be said."""
    add = parser.add_argument
    add("run", type=named, metavar="RUN", help="a run folder of `npformer train`, of a text")
    add("prompt", type=sentence, metavar="PROMPT", help="what the text begins with")
    add("--n", type=whole_number(1), default=200, metavar="N", help="tokens to write (default 200)")
    temperature = "below 1 favours the likely tokens, above 1 the others; 0: always the likeliest (default 1)"
    add("--temperature", type=float, default=1.0, metavar="T", help=temperature)
    add("--top-k", type=whole_number(1), metavar="K", help="draw from the K likeliest alone (default: from all)")
    top_p = "draw from the fewest likeliest that have the probability P together (default: from all)"
    add("--top-p", type=float, metavar="P", help=top_p)
    seed = "the same seed draws the same text (default: another one each time)"
    add("--seed", type=whole_number(0), metavar="N", help=seed)


def run(options) -> int:
    """Print the prompt, then what follows piece by piece, and return the exit status."""
    keep_freed_memory()
    writer, prompt = TextGenerator.load(options.run), options.prompt
    how = {name: getattr(options, name) for name in ("temperature", "top_k", "top_p")}
    pieces = writer.stream(prompt, options.n, rng=options.seed, **how)
    if unknown := writer.text.unknown(prompt):
        tell(f"unknown, read as <unk>: {', '.join(unknown)}")
    longest = writer.model.config.max_len
    if (length := len(writer.encode(prompt))) > longest:
        came = f"the prompt has {length} tokens, more than max_len = {longest}"
        tell(f"{came}: only its last {max(longest // 2, 1)} are read")
    write(prompt)
    try:
        for piece in pieces:
            write(piece)
    except KeyboardInterrupt:
        print()
        raise
    print()
    return 0


def write(text: str) -> None:
    """Show a piece of text at once."""
    if text:
        print(steering_nothing(text), end="", flush=True)
