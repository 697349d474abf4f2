"""Builds the package (PEP 517) with the standard library alone, so that `pip install` needs no network.

What pyproject.toml says in `[project]` is read line by line: Python 3.9 has no reader for TOML.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

HERE = Path(__file__).resolve().parent
Config = Optional[Mapping[str, Any]]
# The earliest time that a zip file can say: two builds are the same to the byte.
TIME = (1980, 1, 1, 0, 0, 0)


def project() -> Dict[str, str]:
    """The texts of `[project]`."""
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[project]\n")[1].split("\n[")[0]
    return dict(re.findall(r'^([\w-]+) = (?:\{ text = )?"([^"]*)"', section, re.MULTILINE))


def name() -> str:
    """Name and version, as files are called."""
    found = project()
    return f"{found['name'].replace('-', '_')}-{found['version']}"


def metadata() -> bytes:
    found = project()
    head = {
        "Metadata-Version": "2.1",
        "Name": found["name"],
        "Version": found["version"],
        "Summary": found["description"],
        "License": found["license"],
        "Requires-Python": found["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    readme = (HERE / found["readme"]).read_text(encoding="utf-8")
    return ("".join(f"{key}: {value}\n" for key, value in head.items()) + "\n" + readme).encode()


def sources() -> Iterator[Tuple[str, bytes]]:
    """The files of the package, as they are called where it is installed."""
    folder = HERE / "src"
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def write_wheel(folder: str, files: Iterator[Tuple[str, bytes]]) -> str:
    """A wheel with these files, its description and the list of what is in it."""
    info = f"{name()}.dist-info"
    wheel = f"{name()}-py3-none-any.whl"
    tags = b"Wheel-Version: 1.0\nGenerator: backend.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in [*files, (f"{info}/METADATA", metadata()), (f"{info}/WHEEL", tags)]:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            archive.writestr(zipfile.ZipInfo(path, TIME), content)
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", TIME), record + f"{info}/RECORD,,\n")
    return wheel


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    return write_wheel(wheel_directory, sources())


def build_editable(
    wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None
) -> str:
    """A wheel that says where the sources are."""
    path = f"{HERE / 'src'}\n".encode()
    return write_wheel(wheel_directory, iter([("lozenge_client.pth", path)]))


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    """The sources, with what builds them."""
    archive = f"{name()}.tar.gz"
    kept = ["pyproject.toml", "backend.py", "README.md"]
    files = [(path, (HERE / path).read_bytes()) for path in kept]
    files += [(f"src/{path}", content) for path, content in sources()]
    with tarfile.open(Path(sdist_directory) / archive, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for path, content in [*files, ("PKG-INFO", metadata())]:
            entry = tarfile.TarInfo(f"{name()}/{path}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive
