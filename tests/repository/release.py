"""Check the distributions in a folder: `make dist` runs this after the build.

Links of the long description are absolute, and no text of a package names a placeholder
of an address. Without an address of the repository in pyproject.toml it says so.
"""

import email
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACEHOLDERS = re.compile(r"example\.(?:com|org)|<[a-z-]*(?:owner|user|url)[a-z-]*>")


def metadata(path: Path) -> Message:
    """METADATA of a wheel, PKG-INFO of a source distribution."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            (name,) = (n for n in archive.namelist() if n.endswith("/METADATA"))
            return email.message_from_string(archive.read(name).decode())
    with tarfile.open(path) as packed:
        (member,) = (
            m for m in packed if m.name.count("/") == 1 and "PKG-INFO" in m.name
        )
        file = packed.extractfile(member)
        assert file is not None
        return email.message_from_string(file.read().decode())


def problems(found: Message, urls: dict[str, str]) -> Iterator[str]:
    """One sentence for each thing that would not work on a package index."""
    text = str(found.get_payload())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"https?://", target):
            yield f"the link {target} of the description is relative"
    for name, url in urls.items():
        if f"{name}, {url}" not in found.get_all("Project-URL", []):
            yield f"the address {name} is not in the metadata"
        if not re.match(r"https://[^/]+/.+", url):
            yield f"the address {name} must start with https://"
    for match in PLACEHOLDERS.findall(f"{text}\n{urls}"):
        yield f"{match} is a placeholder"
    wanted = {"Name", "Version", "Summary", "License-Expression", "Requires-Python"}
    for name in sorted(wanted - set(found.keys())):
        yield f"the metadata has no {name}"


def urls() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project.get("urls", {})


def main(folder: Path) -> int:
    known = urls()
    failed = 0
    for path in sorted((*folder.glob("*.whl"), *folder.glob("*.tar.gz"))):
        size = f"{path.stat().st_size / 1e6:.1f} MB"
        mine = known if path.name.startswith("similitude-") else {}
        wrong = list(problems(metadata(path), mine))
        failed += len(wrong)
        sys.stdout.write(f"{path.name}: {size}, {'; '.join(wrong) or 'ok'}\n")
    if "Repository" not in known:
        sys.stdout.write(
            "There is no address of the repository yet: add it to [project.urls] of "
            "pyproject.toml before a release. Until then the description has no links "
            "to files.\n"
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
