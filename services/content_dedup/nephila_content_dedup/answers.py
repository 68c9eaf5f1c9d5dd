"""What an attempt came back with, as far as its content is concerned."""

from enum import Enum, auto

from nephila_contracts.v1 import reason_pb2
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_contracts.v1.reason_pb2 import Reason


class Answer(Enum):
    """Classes of attempts that are judged alike."""

    PAGE = auto()
    NOT_MODIFIED = auto()
    REDIRECT = auto()
    GONE = auto()
    REFUSED = auto()
    LOST = auto()
    FAILURE = auto()


# Every other reason is a failure.
_BY_REASON: dict[Reason, Answer] = {
    reason_pb2.REASON_FETCHED: Answer.PAGE,
    reason_pb2.REASON_NOT_PARSED: Answer.PAGE,
    reason_pb2.REASON_NOT_MODIFIED: Answer.NOT_MODIFIED,
    reason_pb2.REASON_REDIRECTED: Answer.REDIRECT,
    reason_pb2.REASON_GONE: Answer.GONE,
    reason_pb2.REASON_ROBOTS_DISALLOWED: Answer.REFUSED,
    reason_pb2.REASON_ROBOTS_UNREACHABLE: Answer.REFUSED,
    reason_pb2.REASON_ADDRESS_FORBIDDEN: Answer.REFUSED,
    reason_pb2.REASON_LOST: Answer.LOST,
}
# Refused by url_dedup's rules: the range that reason.proto gives them.
_REFUSED_BY_RULES = range(10, 40)


def answer_of(page: PageParsed) -> Answer:
    """The class of an attempt. Only a 2xx with a readable body is a page."""
    if page.reason in _REFUSED_BY_RULES:
        return Answer.REFUSED
    answer = _BY_REASON.get(page.reason, Answer.FAILURE)
    if answer is Answer.PAGE and not 200 <= page.exchange.status <= 299:
        return Answer.FAILURE
    return answer
