from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UrlKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    URL_KIND_UNSPECIFIED: _ClassVar[UrlKind]
    URL_KIND_SITEMAP: _ClassVar[UrlKind]
    URL_KIND_FEED: _ClassVar[UrlKind]

class DiscoverySource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISCOVERY_SOURCE_UNSPECIFIED: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_SEED: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_LINK: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_REDIRECT: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_ROBOTS: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_SITEMAP: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_FEED: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_PING: _ClassVar[DiscoverySource]
    DISCOVERY_SOURCE_REPLAY: _ClassVar[DiscoverySource]
URL_KIND_UNSPECIFIED: UrlKind
URL_KIND_SITEMAP: UrlKind
URL_KIND_FEED: UrlKind
DISCOVERY_SOURCE_UNSPECIFIED: DiscoverySource
DISCOVERY_SOURCE_SEED: DiscoverySource
DISCOVERY_SOURCE_LINK: DiscoverySource
DISCOVERY_SOURCE_REDIRECT: DiscoverySource
DISCOVERY_SOURCE_ROBOTS: DiscoverySource
DISCOVERY_SOURCE_SITEMAP: DiscoverySource
DISCOVERY_SOURCE_FEED: DiscoverySource
DISCOVERY_SOURCE_PING: DiscoverySource
DISCOVERY_SOURCE_REPLAY: DiscoverySource

class UrlDiscovered(_message.Message):
    __slots__ = ("site_key", "source_url", "source", "links")
    SITE_KEY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_URL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    site_key: str
    source_url: str
    source: DiscoverySource
    links: _containers.RepeatedCompositeFieldContainer[DiscoveredLink]
    def __init__(self, site_key: _Optional[str] = ..., source_url: _Optional[str] = ..., source: _Optional[_Union[DiscoverySource, str]] = ..., links: _Optional[_Iterable[_Union[DiscoveredLink, _Mapping]]] = ...) -> None: ...

class DiscoveredLink(_message.Message):
    __slots__ = ("url", "kind", "anchor", "rel", "depth", "redirect_hops", "lastmod_unix_ms", "priority", "again")
    URL_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    REL_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_HOPS_FIELD_NUMBER: _ClassVar[int]
    LASTMOD_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    url: str
    kind: UrlKind
    anchor: str
    rel: str
    depth: int
    redirect_hops: int
    lastmod_unix_ms: int
    priority: float
    again: bool
    def __init__(self, url: _Optional[str] = ..., kind: _Optional[_Union[UrlKind, str]] = ..., anchor: _Optional[str] = ..., rel: _Optional[str] = ..., depth: _Optional[int] = ..., redirect_hops: _Optional[int] = ..., lastmod_unix_ms: _Optional[int] = ..., priority: _Optional[float] = ..., again: _Optional[bool] = ...) -> None: ...

class Origin(_message.Message):
    __slots__ = ("topic", "partition", "offset", "index")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    topic: str
    partition: int
    offset: int
    index: int
    def __init__(self, topic: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., index: _Optional[int] = ...) -> None: ...

class UrlAdmitted(_message.Message):
    __slots__ = ("url", "site_key", "kind", "depth", "redirect_hops", "source", "source_url", "lastmod_unix_ms", "priority", "origin")
    URL_FIELD_NUMBER: _ClassVar[int]
    SITE_KEY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_HOPS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_URL_FIELD_NUMBER: _ClassVar[int]
    LASTMOD_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    url: str
    site_key: str
    kind: UrlKind
    depth: int
    redirect_hops: int
    source: DiscoverySource
    source_url: str
    lastmod_unix_ms: int
    priority: float
    origin: Origin
    def __init__(self, url: _Optional[str] = ..., site_key: _Optional[str] = ..., kind: _Optional[_Union[UrlKind, str]] = ..., depth: _Optional[int] = ..., redirect_hops: _Optional[int] = ..., source: _Optional[_Union[DiscoverySource, str]] = ..., source_url: _Optional[str] = ..., lastmod_unix_ms: _Optional[int] = ..., priority: _Optional[float] = ..., origin: _Optional[_Union[Origin, _Mapping]] = ...) -> None: ...

class UrlHinted(_message.Message):
    __slots__ = ("url", "site_key", "source", "lastmod_unix_ms", "again")
    URL_FIELD_NUMBER: _ClassVar[int]
    SITE_KEY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LASTMOD_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    url: str
    site_key: str
    source: DiscoverySource
    lastmod_unix_ms: int
    again: bool
    def __init__(self, url: _Optional[str] = ..., site_key: _Optional[str] = ..., source: _Optional[_Union[DiscoverySource, str]] = ..., lastmod_unix_ms: _Optional[int] = ..., again: _Optional[bool] = ...) -> None: ...

class UrlDue(_message.Message):
    __slots__ = ("url", "site_key", "kind", "validators", "importance", "depth")
    URL_FIELD_NUMBER: _ClassVar[int]
    SITE_KEY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALIDATORS_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    url: str
    site_key: str
    kind: UrlKind
    validators: Validators
    importance: float
    depth: int
    def __init__(self, url: _Optional[str] = ..., site_key: _Optional[str] = ..., kind: _Optional[_Union[UrlKind, str]] = ..., validators: _Optional[_Union[Validators, _Mapping]] = ..., importance: _Optional[float] = ..., depth: _Optional[int] = ...) -> None: ...

class Validators(_message.Message):
    __slots__ = ("etag", "last_modified")
    ETAG_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    etag: str
    last_modified: str
    def __init__(self, etag: _Optional[str] = ..., last_modified: _Optional[str] = ...) -> None: ...
