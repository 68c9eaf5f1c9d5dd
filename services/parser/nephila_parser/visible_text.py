"""The text that a reader sees: blanks run together, a line for each block."""

# Put around blocks before the text is taken. HTML parsers let no NUL into a tree, so none is the page's own.
BLOCK_MARK = " \0 "


def lines_of(marked: str, most: int) -> str:
    """Text with block marks as lines, without empty ones, cut at `most` characters."""
    # One split and one join for blanks and blocks together; what a mark leaves is " \0 \0 ".
    joined = " ".join(marked.split())
    if len(joined) > 2 * most:
        joined = joined[: 2 * most]
    lines = [line for part in joined.split("\0") if (line := part.strip())]
    return "\n".join(lines)[:most]


def one_line(text: str | None, most: int) -> str:
    """A title, a description, an anchor: one line, cut at `most` characters."""
    return " ".join(text.replace("\0", " ").split())[:most] if text else ""
