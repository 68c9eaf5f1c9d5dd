from nephila_contracts.v1 import fetch_pb2 as _fetch_pb2
from nephila_contracts.v1 import reason_pb2 as _reason_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Coding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CODING_UNSPECIFIED: _ClassVar[Coding]
    CODING_GZIP: _ClassVar[Coding]
    CODING_BROTLI: _ClassVar[Coding]
    CODING_ZSTD: _ClassVar[Coding]
    CODING_DEFLATE: _ClassVar[Coding]

class Truncation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUNCATION_UNSPECIFIED: _ClassVar[Truncation]
    TRUNCATION_LENGTH: _ClassVar[Truncation]
    TRUNCATION_TIME: _ClassVar[Truncation]
    TRUNCATION_DISCONNECT: _ClassVar[Truncation]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_NEW: _ClassVar[Verdict]
    VERDICT_CHANGED: _ClassVar[Verdict]
    VERDICT_UNCHANGED: _ClassVar[Verdict]
    VERDICT_ALIAS: _ClassVar[Verdict]
    VERDICT_REDIRECTED: _ClassVar[Verdict]
    VERDICT_GONE: _ClassVar[Verdict]
    VERDICT_REFUSED: _ClassVar[Verdict]
    VERDICT_FAILED: _ClassVar[Verdict]
    VERDICT_LOST: _ClassVar[Verdict]
CODING_UNSPECIFIED: Coding
CODING_GZIP: Coding
CODING_BROTLI: Coding
CODING_ZSTD: Coding
CODING_DEFLATE: Coding
TRUNCATION_UNSPECIFIED: Truncation
TRUNCATION_LENGTH: Truncation
TRUNCATION_TIME: Truncation
TRUNCATION_DISCONNECT: Truncation
VERDICT_UNSPECIFIED: Verdict
VERDICT_NEW: Verdict
VERDICT_CHANGED: Verdict
VERDICT_UNCHANGED: Verdict
VERDICT_ALIAS: Verdict
VERDICT_REDIRECTED: Verdict
VERDICT_GONE: Verdict
VERDICT_REFUSED: Verdict
VERDICT_FAILED: Verdict
VERDICT_LOST: Verdict

class Exchange(_message.Message):
    __slots__ = ("status", "request_head", "response_head", "ip", "fetched_at_unix_ms", "elapsed_ms", "truncation", "content_type", "etag", "last_modified", "x_robots_tag", "link", "location")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_HEAD_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_HEAD_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_MS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    X_ROBOTS_TAG_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    status: int
    request_head: bytes
    response_head: bytes
    ip: str
    fetched_at_unix_ms: int
    elapsed_ms: int
    truncation: Truncation
    content_type: str
    etag: str
    last_modified: str
    x_robots_tag: str
    link: str
    location: str
    def __init__(self, status: _Optional[int] = ..., request_head: _Optional[bytes] = ..., response_head: _Optional[bytes] = ..., ip: _Optional[str] = ..., fetched_at_unix_ms: _Optional[int] = ..., elapsed_ms: _Optional[int] = ..., truncation: _Optional[_Union[Truncation, str]] = ..., content_type: _Optional[str] = ..., etag: _Optional[str] = ..., last_modified: _Optional[str] = ..., x_robots_tag: _Optional[str] = ..., link: _Optional[str] = ..., location: _Optional[str] = ...) -> None: ...

class Body(_message.Message):
    __slots__ = ("data", "coding", "served_coding", "claim_key")
    DATA_FIELD_NUMBER: _ClassVar[int]
    CODING_FIELD_NUMBER: _ClassVar[int]
    SERVED_CODING_FIELD_NUMBER: _ClassVar[int]
    CLAIM_KEY_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    coding: Coding
    served_coding: Coding
    claim_key: str
    def __init__(self, data: _Optional[bytes] = ..., coding: _Optional[_Union[Coding, str]] = ..., served_coding: _Optional[_Union[Coding, str]] = ..., claim_key: _Optional[str] = ...) -> None: ...

class PageDownloaded(_message.Message):
    __slots__ = ("attempt", "exchange", "body")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    attempt: _fetch_pb2.Attempt
    exchange: Exchange
    body: Body
    def __init__(self, attempt: _Optional[_Union[_fetch_pb2.Attempt, _Mapping]] = ..., exchange: _Optional[_Union[Exchange, _Mapping]] = ..., body: _Optional[_Union[Body, _Mapping]] = ...) -> None: ...

class Directives(_message.Message):
    __slots__ = ("noindex", "nofollow", "noarchive", "nosnippet")
    NOINDEX_FIELD_NUMBER: _ClassVar[int]
    NOFOLLOW_FIELD_NUMBER: _ClassVar[int]
    NOARCHIVE_FIELD_NUMBER: _ClassVar[int]
    NOSNIPPET_FIELD_NUMBER: _ClassVar[int]
    noindex: bool
    nofollow: bool
    noarchive: bool
    nosnippet: bool
    def __init__(self, noindex: _Optional[bool] = ..., nofollow: _Optional[bool] = ..., noarchive: _Optional[bool] = ..., nosnippet: _Optional[bool] = ...) -> None: ...

class PageParsed(_message.Message):
    __slots__ = ("attempt", "exchange", "body", "reason", "content_hash", "simhash", "mime_type", "charset", "title", "description", "language", "canonical_url", "directives", "text_zstd", "out_links", "body_cut", "body_bytes")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    SIMHASH_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    CHARSET_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_URL_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVES_FIELD_NUMBER: _ClassVar[int]
    TEXT_ZSTD_FIELD_NUMBER: _ClassVar[int]
    OUT_LINKS_FIELD_NUMBER: _ClassVar[int]
    BODY_CUT_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    attempt: _fetch_pb2.Attempt
    exchange: Exchange
    body: Body
    reason: _reason_pb2.Reason
    content_hash: bytes
    simhash: int
    mime_type: str
    charset: str
    title: str
    description: str
    language: str
    canonical_url: str
    directives: Directives
    text_zstd: bytes
    out_links: _containers.RepeatedScalarFieldContainer[str]
    body_cut: bool
    body_bytes: int
    def __init__(self, attempt: _Optional[_Union[_fetch_pb2.Attempt, _Mapping]] = ..., exchange: _Optional[_Union[Exchange, _Mapping]] = ..., body: _Optional[_Union[Body, _Mapping]] = ..., reason: _Optional[_Union[_reason_pb2.Reason, str]] = ..., content_hash: _Optional[bytes] = ..., simhash: _Optional[int] = ..., mime_type: _Optional[str] = ..., charset: _Optional[str] = ..., title: _Optional[str] = ..., description: _Optional[str] = ..., language: _Optional[str] = ..., canonical_url: _Optional[str] = ..., directives: _Optional[_Union[Directives, _Mapping]] = ..., text_zstd: _Optional[bytes] = ..., out_links: _Optional[_Iterable[str]] = ..., body_cut: _Optional[bool] = ..., body_bytes: _Optional[int] = ...) -> None: ...

class PageJudged(_message.Message):
    __slots__ = ("attempt", "verdict", "reason", "http_status", "etag", "last_modified", "content_hash", "fetched_at_unix_ms", "alias_of", "storage_key")
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HTTP_STATUS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ALIAS_OF_FIELD_NUMBER: _ClassVar[int]
    STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    attempt: _fetch_pb2.Attempt
    verdict: Verdict
    reason: _reason_pb2.Reason
    http_status: int
    etag: str
    last_modified: str
    content_hash: bytes
    fetched_at_unix_ms: int
    alias_of: str
    storage_key: str
    def __init__(self, attempt: _Optional[_Union[_fetch_pb2.Attempt, _Mapping]] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., reason: _Optional[_Union[_reason_pb2.Reason, str]] = ..., http_status: _Optional[int] = ..., etag: _Optional[str] = ..., last_modified: _Optional[str] = ..., content_hash: _Optional[bytes] = ..., fetched_at_unix_ms: _Optional[int] = ..., alias_of: _Optional[str] = ..., storage_key: _Optional[str] = ...) -> None: ...

class PageFetched(_message.Message):
    __slots__ = ("url", "canonical_url", "fetched_at_unix_ms", "http_status", "content_hash", "simhash", "storage_key", "out_links", "attempt_id", "verdict", "title", "description", "language", "mime_type", "directives", "duplicate_of", "text_zstd", "text_key", "depth")
    URL_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_URL_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    HTTP_STATUS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    SIMHASH_FIELD_NUMBER: _ClassVar[int]
    STORAGE_KEY_FIELD_NUMBER: _ClassVar[int]
    OUT_LINKS_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    DIRECTIVES_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_OF_FIELD_NUMBER: _ClassVar[int]
    TEXT_ZSTD_FIELD_NUMBER: _ClassVar[int]
    TEXT_KEY_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    url: str
    canonical_url: str
    fetched_at_unix_ms: int
    http_status: int
    content_hash: str
    simhash: str
    storage_key: str
    out_links: _containers.RepeatedScalarFieldContainer[str]
    attempt_id: str
    verdict: Verdict
    title: str
    description: str
    language: str
    mime_type: str
    directives: Directives
    duplicate_of: str
    text_zstd: bytes
    text_key: str
    depth: int
    def __init__(self, url: _Optional[str] = ..., canonical_url: _Optional[str] = ..., fetched_at_unix_ms: _Optional[int] = ..., http_status: _Optional[int] = ..., content_hash: _Optional[str] = ..., simhash: _Optional[str] = ..., storage_key: _Optional[str] = ..., out_links: _Optional[_Iterable[str]] = ..., attempt_id: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., title: _Optional[str] = ..., description: _Optional[str] = ..., language: _Optional[str] = ..., mime_type: _Optional[str] = ..., directives: _Optional[_Union[Directives, _Mapping]] = ..., duplicate_of: _Optional[str] = ..., text_zstd: _Optional[bytes] = ..., text_key: _Optional[str] = ..., depth: _Optional[int] = ...) -> None: ...
