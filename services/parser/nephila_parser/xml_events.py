"""XML from strangers: read as a stream, forgiving, bounded, and blind to everything outside itself."""

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias, cast

from lxml import etree

from nephila_parser.encodings import UTF_8, decode_text, guessed_encoding, is_utf_8, xml_encoding

Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]

_STEP = 65_536
_PIECES = 64
_UNENDED = 64


def xml_text(body: bytes, http_charset: str) -> tuple[bytes, str]:
    """The document as UTF-8 without mark and leading blanks, and the encoding it had."""
    charset = xml_encoding(body, http_charset) or guessed_encoding(body)
    if charset != UTF_8 or not is_utf_8(body):
        body = decode_text(body, charset).encode("utf-8", "replace")
    return body.removeprefix(b"\xef\xbb\xbf").lstrip(), charset


def ended_elements(body: bytes) -> Iterator[Element]:
    """Each element as it ends, up to where the document can be read no further.

    No entity is looked up outside the document, no DTD loaded, no network used, and an entity that
    swells is refused by libxml2 (XML_PARSE_HUGE stays off). The reader clears what it is done with.
    """
    parser = etree.XMLPullParser(
        events=("end",),
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for at in range(0, len(body), _STEP):
            parser.feed(body[at : at + _STEP])
            yield from _ended(parser)
        parser.close()
    except etree.XMLSyntaxError:
        # What came before the damage has been given already, but for what is still waiting.
        pass
    # Elements that the end of the document ended: few in one that broke off, a million in an attack.
    yield from islice(_ended(parser), _UNENDED)


def _ended(parser: "etree.XMLPullParser") -> Iterator[Element]:
    for _, element in parser.read_events():
        yield cast("Element", element)


def local_name(element: Element) -> str:
    """The element's name without namespace, lower-case."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def namespace(element: Element) -> str:
    """The element's namespace; empty when it has none."""
    tag = element.tag
    return tag[1:].partition("}")[0] if isinstance(tag, str) and tag.startswith("{") else ""


def text_of(element: Element) -> str:
    """The text inside the element, blanks around it dropped (U+00A0 and its like too)."""
    if len(element) == 0:
        return (element.text or "").strip()
    # Bounded, as elements that never end lie in one another and would be read again and again.
    pieces = islice(element.itertext("*"), _PIECES)
    return "".join(cast("Iterator[str]", pieces)).strip()


def forget(element: Element) -> None:
    """Frees an element that has been read, and the siblings before it."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while (before := element.getprevious()) is not None:
            parent.remove(before)
