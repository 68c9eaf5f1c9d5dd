from nephila_contracts.v1 import fetch_pb2 as _fetch_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CrawlControl(_message.Message):
    __slots__ = ("target", "blocklisted", "paused", "delay_ms", "page_budget", "note")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    BLOCKLISTED_FIELD_NUMBER: _ClassVar[int]
    PAUSED_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    PAGE_BUDGET_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    target: str
    blocklisted: bool
    paused: bool
    delay_ms: int
    page_budget: int
    note: str
    def __init__(self, target: _Optional[str] = ..., blocklisted: _Optional[bool] = ..., paused: _Optional[bool] = ..., delay_ms: _Optional[int] = ..., page_budget: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class RenderRequested(_message.Message):
    __slots__ = ("attempt", "wait_ms")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    attempt: _fetch_pb2.Attempt
    wait_ms: int
    def __init__(self, attempt: _Optional[_Union[_fetch_pb2.Attempt, _Mapping]] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class DeadLetter(_message.Message):
    __slots__ = ("topic", "partition", "offset", "key", "value", "service", "cause")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    topic: str
    partition: int
    offset: int
    key: str
    value: bytes
    service: str
    cause: str
    def __init__(self, topic: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., key: _Optional[str] = ..., value: _Optional[bytes] = ..., service: _Optional[str] = ..., cause: _Optional[str] = ...) -> None: ...
