"""The text that a reader sees: blanks run together, a line for each block."""

from nephila_parser.block_marks import MARK


def lines_of(marked: str, most: int) -> str:
    """Text with block marks as lines, without empty ones, cut at `most` characters."""
    lines: list[str] = []
    for part in marked.split(MARK):
        if part and not part.isspace():
            line = part.strip()
            # Most lines are as they should be, and looking is cheaper than splitting.
            if "\n" in line or "  " in line or "\t" in line or "\r" in line or not line.isascii():
                line = " ".join(line.split())
            lines.append(line)
    return "\n".join(lines)[:most]


def one_line(text: str | None, most: int) -> str:
    """A title, a description, an anchor: one line, cut at `most` characters."""
    return " ".join(text.split())[:most] if text else ""
