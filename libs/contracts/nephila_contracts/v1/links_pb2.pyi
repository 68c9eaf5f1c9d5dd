from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class PageLinks(_message.Message):
    __slots__ = ("source_url", "sequence", "target_urls", "anchors", "rels")
    SOURCE_URL_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_URLS_FIELD_NUMBER: _ClassVar[int]
    ANCHORS_FIELD_NUMBER: _ClassVar[int]
    RELS_FIELD_NUMBER: _ClassVar[int]
    source_url: str
    sequence: int
    target_urls: _containers.RepeatedScalarFieldContainer[str]
    anchors: _containers.RepeatedScalarFieldContainer[str]
    rels: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, source_url: _Optional[str] = ..., sequence: _Optional[int] = ..., target_urls: _Optional[_Iterable[str]] = ..., anchors: _Optional[_Iterable[str]] = ..., rels: _Optional[_Iterable[str]] = ...) -> None: ...

class Importance(_message.Message):
    __slots__ = ("target", "score")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    target: str
    score: float
    def __init__(self, target: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...
