from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PageLinks(_message.Message):
    __slots__ = ("source_url", "edges", "sequence")
    SOURCE_URL_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    source_url: str
    edges: _containers.RepeatedCompositeFieldContainer[Edge]
    sequence: int
    def __init__(self, source_url: _Optional[str] = ..., edges: _Optional[_Iterable[_Union[Edge, _Mapping]]] = ..., sequence: _Optional[int] = ...) -> None: ...

class Edge(_message.Message):
    __slots__ = ("target_url", "anchor", "rel")
    TARGET_URL_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    REL_FIELD_NUMBER: _ClassVar[int]
    target_url: str
    anchor: str
    rel: str
    def __init__(self, target_url: _Optional[str] = ..., anchor: _Optional[str] = ..., rel: _Optional[str] = ...) -> None: ...

class Importance(_message.Message):
    __slots__ = ("target", "score")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    target: str
    score: float
    def __init__(self, target: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...
