"""Continue a text, token by token, with a language model. After -- a text may begin with -."""

from typing import Any

from .argument_parser import file_name, number, utf8_text
from .predict import load_predictor, report_unknown
from .standard_streams import STEERING, print_error


def add_options(parser: Any) -> None:
    """Add the options."""
    add = parser.add_argument
    add("run", type=file_name, metavar="RUN", help="a run folder of `npformer train`")
    add("prompt", type=utf8_text, metavar="PROMPT", help="what the text begins with")
    add(
        "--max-new-tokens",
        type=number(least=1),
        default=200,
        metavar="N",
        help="how many tokens to add (default 200)",
    )
    add(
        "--temperature",
        type=number(float, least=0),
        default=1.0,
        metavar="T",
        help="below 1 favors probable tokens, above 1 others; 0 takes the most probable "
        "(default 1)",
    )
    add(
        "--top-k",
        type=number(least=1),
        metavar="K",
        help="draw from the K most probable tokens (default: from all)",
    )
    add(
        "--top-p",
        type=number(float, above=0, most=1),
        metavar="P",
        help="draw from the fewest tokens whose probabilities sum to at least P "
        "(default: from all)",
    )
    add(
        "--seed",
        type=number(least=0),
        metavar="N",
        help="the same seed draws the same text (default: another text each time)",
    )


def run(options: Any) -> int:
    """Print what follows a prompt, piece by piece; return the exit status."""
    generator = load_predictor(options.run, "language_model")
    report_unknown(generator, options.prompt)
    n_tokens = len(generator.encode(options.prompt))
    max_len = generator.model.config.max_len
    if n_tokens > max_len:
        print_error(
            f"the prompt has {n_tokens} tokens, more than max_len = {max_len}: "
            f"only its last {max(max_len // 2, 1)} are read"
        )

    pieces = generator.stream(
        options.prompt,
        options.max_new_tokens,
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
        rng=options.seed,
    )
    try:
        _print_piece(options.prompt)
        for piece in pieces:
            _print_piece(piece)
    except KeyboardInterrupt:
        # Ctrl-C leaves the cursor in the text: what follows begins a new line
        print()
        raise
    print()
    return 0


def _print_piece(text: str) -> None:
    # a model may have learned escape sequences, which would reach the terminal
    print(text.translate(STEERING), end="", flush=True)
