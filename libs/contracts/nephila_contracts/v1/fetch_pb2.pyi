from nephila_contracts.v1 import reason_pb2 as _reason_pb2
from nephila_contracts.v1 import url_pb2 as _url_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FetchEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FETCH_END_UNSPECIFIED: _ClassVar[FetchEnd]
    FETCH_END_FINAL: _ClassVar[FetchEnd]
    FETCH_END_DEFERRED: _ClassVar[FetchEnd]
FETCH_END_UNSPECIFIED: FetchEnd
FETCH_END_FINAL: FetchEnd
FETCH_END_DEFERRED: FetchEnd

class Attempt(_message.Message):
    __slots__ = ("url", "site_key", "host", "attempt_id", "sequence", "kind", "depth", "redirect_hops", "tries")
    URL_FIELD_NUMBER: _ClassVar[int]
    SITE_KEY_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_HOPS_FIELD_NUMBER: _ClassVar[int]
    TRIES_FIELD_NUMBER: _ClassVar[int]
    url: str
    site_key: str
    host: str
    attempt_id: str
    sequence: int
    kind: _url_pb2.UrlKind
    depth: int
    redirect_hops: int
    tries: int
    def __init__(self, url: _Optional[str] = ..., site_key: _Optional[str] = ..., host: _Optional[str] = ..., attempt_id: _Optional[str] = ..., sequence: _Optional[int] = ..., kind: _Optional[_Union[_url_pb2.UrlKind, str]] = ..., depth: _Optional[int] = ..., redirect_hops: _Optional[int] = ..., tries: _Optional[int] = ...) -> None: ...

class FetchRequested(_message.Message):
    __slots__ = ("attempt", "wait_ms", "delay_ms", "validators")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    VALIDATORS_FIELD_NUMBER: _ClassVar[int]
    attempt: Attempt
    wait_ms: int
    delay_ms: int
    validators: _url_pb2.Validators
    def __init__(self, attempt: _Optional[_Union[Attempt, _Mapping]] = ..., wait_ms: _Optional[int] = ..., delay_ms: _Optional[int] = ..., validators: _Optional[_Union[_url_pb2.Validators, _Mapping]] = ...) -> None: ...

class FetchCompleted(_message.Message):
    __slots__ = ("attempt", "end", "reason", "http_status", "ip", "elapsed_ms", "body_bytes", "retry_after_ms", "crawl_delay_ms", "request_sent")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HTTP_STATUS_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_MS_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    CRAWL_DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_SENT_FIELD_NUMBER: _ClassVar[int]
    attempt: Attempt
    end: FetchEnd
    reason: _reason_pb2.Reason
    http_status: int
    ip: str
    elapsed_ms: int
    body_bytes: int
    retry_after_ms: int
    crawl_delay_ms: int
    request_sent: bool
    def __init__(self, attempt: _Optional[_Union[Attempt, _Mapping]] = ..., end: _Optional[_Union[FetchEnd, str]] = ..., reason: _Optional[_Union[_reason_pb2.Reason, str]] = ..., http_status: _Optional[int] = ..., ip: _Optional[str] = ..., elapsed_ms: _Optional[int] = ..., body_bytes: _Optional[int] = ..., retry_after_ms: _Optional[int] = ..., crawl_delay_ms: _Optional[int] = ..., request_sent: _Optional[bool] = ...) -> None: ...
