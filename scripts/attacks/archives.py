"""Broken archives: an installation exits with 0 or 65 in bounded time and memory, and the active version stays active."""

import io
import json
import os
import subprocess
import tarfile
import warnings
import zipfile

from .target import Finding, Program, children_peak_memory, write_archive

# The resident bytes allowed for an installation: the program, SQLite, and 64 MB for an archive's metadata.
MEMORY_BAR = 256 << 20
ALLOWED = {0, 64, 65}


class Attack:
    def __init__(self, bundlectl, scratch):
        self.scratch, self.program = scratch, Program(bundlectl, scratch / "store")
        self.program.succeed("install", write_archive(scratch / "first.zip", "attack", "1.0.0", {"index.html": b"first"}))
        self.outcomes = {}
        self.peak = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def summary(self):
        return f"statuses {dict(sorted(self.outcomes.items()))}, at most {self.peak / 1e6:.0f} MB resident"

    def round(self, random):
        archive = self.scratch / "broken"
        archive.write_bytes(random.choice([zip_archive, tar_archive])(random))
        status, _, _ = self.program.run("install", archive, "--no-activate", allowed=ALLOWED)
        self.outcomes[status] = self.outcomes.get(status, 0) + 1
        self.peak = max(self.peak, children_peak_memory())
        if self.peak > MEMORY_BAR:
            raise Finding(f"an installation took {self.peak / 1e6:.0f} MB")
        active = {bundle["name"]: bundle.get("active") for bundle in json.loads(self.program.succeed("list", "--json"))["bundles"]}
        if active.get("attack") != "1.0.0":
            raise Finding(f"what was active is {active.get('attack')} now")
        outside = [name for name in os.listdir(self.scratch) if name not in ("store", "first.zip", "broken")]
        if outside:
            raise Finding(f"an archive wrote {outside} outside of the store")
        if status == 0:
            self.program.succeed("verify")
            for name in active:
                if name != "attack":
                    self.program.run("remove", name, allowed={0, 64})


NAMES = ["index.html", "a/b.js", "../escape", "/absolute", "a/../../escape", "C:/x", "a\\..\\escape", "é.txt", "e\u0301.txt", "A/B.js",
         "x" * 300, "d/" * 70 + "deep", "con", "nul.txt", "a\nb", "trailing.", "a//b", "./a", "bundle.json"]


def manifest(random):
    value = {"name": "broken", "version": f"{random.randrange(9)}.{random.randrange(9)}.0", "origins": []}
    odd = [None, [], {}, "", "x" * 10_000, -1, 1e300, [[]] * 100, {"/**": {"X-Y": "z"}}, {"/*" * 40: {"A": "b"}},
           [{"url": "http://127.0.0.1/", "path": "/"}], "http://[::1", "\u0000"]
    for _ in range(random.choice([0, 0, 1, 3])):
        key = random.choice(["name", "version", "origins", "entry", "fallback", "offlinePage", "headers", "mediaTypes", "feed", "x"])
        value[key] = random.choice(odd)
    return json.dumps(value).encode()


def files(random):
    yield "bundle.json", manifest(random)
    for number in range(random.randrange(12)):
        name = random.choice(NAMES) if random.random() < 0.1 else f"folder/file{number}.js"
        yield name, random.randbytes(random.choice([0, 1, 100, 5_000])) * random.choice([1, 1, 40])


def damaged(content, random):
    """Some bytes changed, removed or doubled; half of the archives stay as they are."""
    content = bytearray(content)
    for _ in range(random.choice([0, 0, 1, 2, 8])):
        place = random.randrange(max(1, len(content)))
        match random.randrange(4):
            case 0:
                content[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del content[place : place + random.choice([1, 2, 512, 5_000])]
            case 2:
                content[place:place] = content[place : place + 512]
            case 3:
                content[place : place + 4] = random.choice([b"\xff\xff\xff\xff", bytes(4), b"PK\x05\x06", b"PK\x01\x02"])
    return bytes(content)


def zip_archive(random):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that occur twice
        for name, content in files(random):
            info = zipfile.ZipInfo(name)
            info.compress_type = random.choice([zipfile.ZIP_STORED] + [zipfile.ZIP_DEFLATED] * 8 + [zipfile.ZIP_BZIP2])
            info.external_attr = random.choice([0] + [0o100644] * 20 + [0o120777, 0o040755]) << 16
            archive.writestr(info, content)
    return damaged(target.getvalue(), random)


def tar_archive(random):
    target = io.BytesIO()
    format = random.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
    with tarfile.open(fileobj=target, mode="w", format=format) as archive:
        for name, content in files(random):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.type = random.choice([tarfile.REGTYPE] * 60 + [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, b"S"])
            info.linkname = random.choice(NAMES)
            if format == tarfile.PAX_FORMAT and random.random() < 0.1:
                info.pax_headers = pax_records(random)
            try:
                archive.addfile(info, io.BytesIO(content))
            except (ValueError, OSError):
                continue
    content = damaged(target.getvalue(), random)
    command = random.choice([None, ["gzip", "-1"], ["xz", "-1"], ["zstd", "-1", "-q"]])
    if command is None:
        return content
    try:
        return damaged(subprocess.run(command, input=content, capture_output=True, check=True).stdout, random)
    except (OSError, subprocess.CalledProcessError):
        return content


def pax_records(random):
    return random.choice([
        {"path": random.choice(NAMES)},
        {"size": random.choice(["-1", "99999999999999999999", "3", "x"])},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999999"},
        {"GNU.sparse.map": ",".join(["0,1"] * random.choice([1, 10, 100_000])), "GNU.sparse.size": "10"},
        {"hdrcharset": "BINARY", "path": "é"},
        {f"SCHILY.xattr.user.{number}": "v" * 100 for number in range(random.choice([1, 100, 2_000]))},
    ])
