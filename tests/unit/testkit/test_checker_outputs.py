"""What the checker reads of DIR, from files written by hand."""

import gzip
import json
from hashlib import sha256
from pathlib import Path

from nephila_testkit.checker.outputs import read_outputs

URL = "http://h0.site0.test/a"
PAGE = b"<p>page</p>" * 50


def directory_with_a_record(folder: Path, *more: str) -> Path:
    """One response record as the WARC standard has it, with the further header lines."""
    body = gzip.compress(PAGE)
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + body
    lines = [
        "WARC/1.1",
        "WARC-Type: response",
        "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>",
        "WARC-Date: 2025-06-03T10:00:00Z",
        f"WARC-Target-URI: {URL}",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(answer)}",
        *more,
    ]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    (folder / "warc").mkdir()
    (folder / "warc" / "a.warc.gz").write_bytes(gzip.compress(head + answer + b"\r\n\r\n"))
    return folder


def test_a_response_is_told_by_the_hash_of_its_decoded_body(tmp_path: Path) -> None:
    (record,) = read_outputs(directory_with_a_record(tmp_path)).records
    assert (record.kind, record.url, record.status) == ("response", URL, 200)
    assert record.sha256 == sha256(PAGE).hexdigest()
    size = (tmp_path / "warc" / "a.warc.gz").stat().st_size
    assert record.key == f"a.warc.gz:0:{size}"
    assert not record.fault


def test_a_digest_that_does_not_fit_is_a_fault(tmp_path: Path) -> None:
    wrong = ("WARC-Payload-Digest: sha1:" + "A" * 32, "WARC-Truncated: length")
    (record,) = read_outputs(directory_with_a_record(tmp_path, *wrong)).records
    assert record.fault
    assert record.truncated == "length"


def test_a_file_that_breaks_off_is_unreadable(tmp_path: Path) -> None:
    path = directory_with_a_record(tmp_path) / "warc" / "a.warc.gz"
    path.write_bytes(path.read_bytes()[:-40])
    outputs = read_outputs(tmp_path)
    assert outputs.unreadable or outputs.records[0].fault


def test_events_are_read_line_by_line_and_broken_ones_are_told(tmp_path: Path) -> None:
    told = {"url": URL, "verdict": "VERDICT_NEW", "attempt_id": "0.1", "content_hash": "ab"}
    lines = [json.dumps(told), json.dumps({**told, "verdict": "alias"}), '{"url": "half']
    (tmp_path / "page_fetched.ndjson").write_text("\n".join(lines))
    outputs = read_outputs(tmp_path)
    assert [event.verdict for event in outputs.events] == ["new", "alias"]
    assert [fault.split(":")[0] for fault in outputs.unreadable] == ["page_fetched.ndjson line 3"]
