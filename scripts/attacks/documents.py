"""JSON documents that are short to send and long to hold: feeds, lists of contents, manifests and builds' own manifests.

Each is refused or used in bounded time and memory, and the active version stays active.
"""

import gzip
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

from .target import Finding, Program, write_archive

# The resident bytes of a command: 64 MB for the document, and the program with its libraries and SQLite.
MEMORY_BAR = 128 << 20
# The longest documents tried; all limits are below.
LONGEST = 20 << 20


class Attack:
    def __init__(self, bundlectl, scratch):
        self.scratch, self.program = scratch, Program(bundlectl, scratch / "store")
        self.site = Site(scratch / "site")
        feed = {"feed": f"{self.site.url}/feed.json"}
        files = {f"file{number}.js": bytes([number]) * 3_000 for number in range(30)}
        self.second = write_archive(scratch / "second.zip", "attack", "2.0.0", {**files, "index.html": b"second"}, **feed)
        self.program.succeed("install", write_archive(scratch / "first.zip", "attack", "1.0.0", files, **feed))
        self.outcomes, self.peak = {}, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.site.close()

    def summary(self):
        return f"statuses {dict(sorted(self.outcomes.items()))}, at most {self.peak / 1e6:.0f} MB resident"

    def round(self, random):
        kind, seed = random.choice(["feed", "contents", "manifest", "build manifest"]), random.getrandbits(64)
        self.site.clear()
        # In a process of its own: what a process takes counts for the commands that it starts.
        process = multiprocessing.get_context("fork").Process(target=self.write, args=(kind, Random(seed)))
        process.start()
        process.join()
        if process.exitcode != 0:
            raise RuntimeError("the document wasn't made")
        is_archive = "manifest" in kind
        arguments = ["install", self.scratch / "broken.zip"] if is_archive else [random.choice(["check", "update"])]
        status, peak = self.program.measure(*arguments)
        self.outcomes[f"{kind}: {status}"] = self.outcomes.get(f"{kind}: {status}", 0) + 1
        self.peak = max(self.peak, peak)
        if peak > MEMORY_BAR:
            raise Finding(f"{kind}: {arguments[0]} took {peak / 1e6:.0f} MB")
        self.program.run("remove", "built", allowed={0, 64})
        bundles = json.loads(self.program.succeed("list", "--json"))["bundles"]
        if [(bundle["name"], bundle.get("active")) for bundle in bundles] != [("attack", "1.0.0")]:
            raise Finding(f"{kind}: the bundles are {bundles} now")

    def write(self, kind, random):
        text = document(random)
        if kind in ("feed", "manifest"):
            text = random.choice([text, with_members(random, text, "attack" if kind == "feed" else "built")])
        match kind:
            case "feed":
                self.site.add("feed.json", text)
            case "contents":
                self.write_contents(random, text)
            case "manifest":
                self.pack({"bundle.json": text})
            case "build manifest":
                manifest = json.dumps({"name": "built", "version": "1.0.0", "origins": []}).encode()
                self.pack({"bundle.json": manifest, "index.html": b"x", ".vite/manifest.json": text})

    def write_contents(self, random, text):
        coded = subprocess.run(["zstd", "-1", "-q"], input=text, capture_output=True, check=True).stdout
        name, content = random.choice([("2.json.zst", coded), ("2.json", text)])
        archive = self.second.read_bytes()
        feed = {"name": "attack", "sequence": 1, "versions": [{
            "version": "2.0.0", "src": "2.zip", "size": len(archive), "sha256": digest(archive),
            "contents": {"files": digest(b"x"), "src": name, "size": len(content), "sha256": digest(content)},
        }]}
        self.site.add("feed.json", json.dumps(feed).encode())
        self.site.add(name, content)

    def pack(self, files):
        with zipfile.ZipFile(self.scratch / "broken.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, content in files.items():
                archive.writestr(name, content)


def document(random):
    """Many small values, long or deep ones, or many members; whole or broken off."""
    limit = random.choice([1 << 10, 1 << 20, 4 << 20, LONGEST])
    unit = random.choice([
        b"0,", b"[],", b"{},", b'"",', b'"a",', b"1e300,", b"null,", b'{"a":0},', b"[[]],", b'"\\u0041",', b'{"a":{"a":[0]}},', b" 0 ,",
    ])
    match random.randrange(5):
        case 0:
            text = b"[" + unit * (limit // len(unit)) + b"0]"
        case 1:
            text = b'{"name":"attack","versions":[' + unit * (limit // len(unit)) + b"0]}"
        case 2:
            text = b"{" + b",".join(b'"k%d":%s' % (number, unit[:-1]) for number in range(limit // 16)) + b"}"
        case 3:
            text = random.choice([b"[", b'{"a":', b'[{"a":['] ) * (limit // 8)
        case 4:
            text = b'{"name":"' + random.choice([b"x", b"\\n", b"\\ud83d\\ude00", b"\xc3\xa9"]) * (limit // 8) + b'"}'
    return text if random.random() < 0.8 else text[: random.randrange(len(text))]


def with_members(random, document, name):
    """The same as a member of an otherwise right document."""
    member = random.choice([b"versions", b"origins", b"headers", b"rules", b"files", b"x", b"health", b"mediaTypes", b"fallback"])
    right = b'"name":"%s","version":"9.0.0","sequence":1,"origins":[],"versions":[]' % name.encode()
    return b'{%s,"%s":%s}' % (right, member, document)


def digest(content):
    return hashlib.sha256(content).hexdigest()


class Site:
    """Serves the files of a folder, JSON coded with gzip, without holding them."""

    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        self.folder = folder

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = folder / self.path.partition("?")[0].lstrip("/")
                coded = path.with_name(path.name + ".gz")
                is_coded = coded.exists() and "gzip" in self.headers.get("Accept-Encoding", "")
                try:
                    file = open(coded if is_coded else path, "rb")
                except OSError:
                    self.send_error(404)
                    return
                with file:
                    self.send_response(200)
                    if is_coded:
                        self.send_header("Content-Encoding", "gzip")
                    self.send_header("Content-Length", str(os.fstat(file.fileno()).st_size))
                    self.end_headers()
                    shutil.copyfileobj(file, self.wfile)

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except ConnectionError:
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def clear(self):
        for path in self.folder.iterdir():
            path.unlink()

    def add(self, name, content):
        (self.folder / name).write_bytes(content)
        if name.endswith(".json"):
            (self.folder / f"{name}.gz").write_bytes(gzip.compress(content, 1))

    def close(self):
        self.server.shutdown()
