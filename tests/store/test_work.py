"""Work that can be resumed: digest, lock, manifest, files and leftovers."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from shared.damaged import assert_damage_is_noticed
from similitude.errors import InvalidInput
from similitude.store import Work, digest_of, locked


class Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    request: str
    log: tuple[float, ...] = ()
    files: dict[str, str] = {}


@dataclass(frozen=True)
class Plain:
    request: str
    files: dict[str, str]


def work_in(folder: Path) -> Work[Manifest]:
    return Work(folder / "manifest.json", Manifest, "delete it to start again")


def test_a_digest_depends_on_values_and_not_on_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    assert digest_of({"a": 1}) != digest_of({"a": 1.0})
    with pytest.raises(ValueError, match="JSON compliant"):
        digest_of({"a": float("nan")})


def test_work_is_done_when_its_manifest_has_the_same_request(tmp_path: Path) -> None:
    work = work_in(tmp_path / "new")
    assert work.manifest() is None
    files = {"weights": work.write("weights", b"abc")}
    assert work.done("one") is None  # files without a manifest are not finished
    manifest = Manifest(request="one", log=(0.5,), files=files)
    work.record(manifest)
    assert work.done("one") == manifest
    assert work.done("two") is None
    assert work.read("weights", manifest) == b"abc"


def test_manifests_can_be_dataclasses(tmp_path: Path) -> None:
    work = Work(tmp_path / "result.json", Plain, "run it again")
    record = Plain("one", {})
    work.record(record)
    assert work.done("one") == record
    work.record(replace(record, request="two"))
    assert work.done("one") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"request": 1}'])
def test_damaged_manifests_are_named_with_the_remedy(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"json is damaged.*; delete it to start"):
        work_in(tmp_path).manifest()


def test_damage_of_manifests_and_files_is_noticed(tmp_path: Path) -> None:
    work = work_in(tmp_path)
    manifest = Manifest(request="one", files={"f": work.write("f", b"content " * 30)})
    work.record(manifest)
    same = lambda a, b: a == b  # noqa: E731
    assert_damage_is_noticed(work.path, work.manifest, same)
    assert_damage_is_noticed(tmp_path / "f", lambda: work.read("f", manifest), same)
    (tmp_path / "f").unlink()
    with pytest.raises(InvalidInput, match="f does not exist; delete it"):
        work.read("f", manifest)


def test_leftovers_are_files_that_the_manifest_does_not_name(tmp_path: Path) -> None:
    work = work_in(tmp_path)
    work.record(Manifest(request="one", files={"a-1": work.write("a-1", b"")}))
    for name in ("a-2", ".a-1-0123", "b-1", ".lock"):
        (tmp_path / name).touch()
    work.remove_leftovers(prefix="a")
    assert {p.name for p in tmp_path.iterdir()} == {
        *("manifest.json", "a-1", "b-1", ".lock")
    }
    work.remove_leftovers(keep=(".lock",))
    assert {p.name for p in tmp_path.iterdir()} == {"manifest.json", "a-1", ".lock"}


HOLD = """
import sys
from similitude.store import locked
with locked(sys.argv[1], RuntimeError("busy")):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_lock_is_held_by_one_process_and_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / ".lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(InvalidInput, match="wait for it"):
            with locked(path, InvalidInput("wait for it")):
                pass
        other.kill()
        with locked(path, InvalidInput("never raised"), wait=True):
            pass
