"""What is made from proto/: the message classes, and the comments that the documents quote."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc  # pyright: ignore[reportMissingTypeStubs]
from lock import ROOT

PROTOS = sorted((ROOT / "proto/nephila_contracts/v1").glob("*.proto"))
PACKAGE = "libs/contracts"


def run_protoc(*options: str) -> None:
    arguments = ["protoc", f"-I{ROOT / 'proto'}", *options, *map(str, PROTOS)]
    if protoc.main(arguments) != 0:
        raise SystemExit("protoc failed")


def message_classes() -> Iterator[tuple[str, str]]:
    """Path from the root and text of each generated module and stub."""
    with tempfile.TemporaryDirectory() as folder:
        run_protoc(f"--python_out={folder}", f"--pyi_out={folder}")
        for path in sorted(Path(folder).rglob("*_pb2.py*")):
            yield f"{PACKAGE}/{path.relative_to(folder)}", path.read_text()


def described() -> FileDescriptorSet:
    """Every file with its comments."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set"
        run_protoc(f"--descriptor_set_out={path}", "--include_source_info")
        return FileDescriptorSet.FromString(path.read_bytes())


def comments(files: FileDescriptorSet) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """File name, path of descriptor indexes, and the comment that stands above the thing."""
    for file in files.file:
        for location in file.source_code_info.location:
            text = " ".join(location.leading_comments.split())
            if text:
                yield file.name, tuple(location.path), text
