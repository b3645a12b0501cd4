"""Store files that change, shrink and disappear under a running server that clients read from, and a store that a newer program
has converted: each response is correct, or an error.
"""

import contextlib
import os
import shutil
import sqlite3
import threading
import time

from .target import Finding, Program, Server, write_archive

FILE_COUNT = 12
# A change of a file is noticed within a second or two; responses from before that aren't checked.
NOTICE_SECONDS = 4
ARCHIVES = {"1.0.0": 1, "1.1.0": 2}
# Files that don't affect responses.
PASSED_OVER = ("-shm", ".lock", "lock")


# What is done to the store.
NEWER = "a newer schema"


def contents(version):
    """The contents of a release's files: each names its version, except some that are the same in both."""
    result = {"index.html": f"<!doctype html><title>{version}</title>".encode() + b"p" * 700}
    for number in range(FILE_COUNT):
        own = version if number % 3 else "both"
        result[f"part{number}.js"] = f"// {own} {number}\n".encode() + b"x" * [10, 5_000, 70_000, 300_000][number % 4]
    return result


class Load:
    """Reads files until it is ended; what they are isn't looked at, as the damage isn't noticed yet."""

    def __init__(self, server):
        self.is_over = False
        self.thread = threading.Thread(target=self.read, args=(server,), daemon=True)
        self.thread.start()

    def read(self, server):
        while not self.is_over:
            for name in contents("1.1.0"):
                with contextlib.suppress(ConnectionError, Finding):
                    server.get(f"/attack/{name}")

    def end(self):
        self.is_over = True
        self.thread.join()


class Attack:
    def __init__(self, bundlectl, scratch):
        self.bundlectl, self.scratch = bundlectl, scratch
        self.archives = {version: write_archive(scratch / f"{version}.zip", "attack", version, contents(version)) for version in ARCHIVES}
        self.pristine = scratch / "pristine"
        program = Program(bundlectl, self.pristine)
        for archive in self.archives.values():
            program.succeed("install", archive)
        self.counts = {"right": 0, "older release": 0, "error": 0, "repaired": 0, "irrelevant": 0, "catalog lost, and said so": 0}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def summary(self):
        return f"responses and repairs {self.counts}"

    def round(self, random):
        store = self.scratch / "store"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(self.pristine, store)
        program = Program(self.bundlectl, store)
        with Server(program, "--check-every", "1d") as server:
            if random.random() < 0.7:
                self.look(server, may_fail=False)
            load = Load(server)
            what = self.convert(store, 1) if random.random() < 0.15 else self.damage(store, random)
            try:
                self.wait_for_notice(server)
                load.end()
                versions = self.look(server, may_fail=True)
                if len(versions) > 1:
                    raise Finding("parts of several releases are served side by side")
                server.check()
            except Finding as finding:
                raise Finding(f"{what}: {finding}") from None
            finally:
                load.end()
        if what == NEWER:
            program.run("list", allowed={73})
            self.convert(store, -1)
        self.repair(program, what)

    def convert(self, store, step):
        """Changes the version of the catalog's schema, as a newer program does."""
        with contextlib.closing(sqlite3.connect(store / "catalog.sqlite", timeout=30)) as catalog:
            version = catalog.execute("PRAGMA user_version").fetchone()[0]
            catalog.execute(f"PRAGMA user_version = {version + step}")
        return NEWER

    def wait_for_notice(self, server):
        """Waits until the server's watcher has checked the store's files, which takes at most two of its intervals."""
        time.sleep(NOTICE_SECONDS)
        server.check()

    def look(self, server, may_fail):
        """Requests every file. Returns the versions of those that only one version has."""
        releases = {version: contents(version) for version in ARCHIVES}
        versions = set()
        for name, newest in releases["1.1.0"].items():
            try:
                response = server.get(f"/attack/{name}")
            except ConnectionError as error:
                if not may_fail:
                    raise Finding(f"{name}: {error}") from None
                self.counts["error"] += 1
                continue
            matching = [version for version, files in releases.items() if files[name] == response.content]
            if response.status == 200 and not matching:
                raise Finding(f"{name} was sent with wrong content ({len(response.content)} bytes, {response['cache-status']})")
            if response.status != 200:
                if not may_fail or not 400 <= response.status < 600:
                    raise Finding(f"{name} came with {response.status}")
                self.counts["error"] += 1
            elif "1.1.0" in matching:
                self.counts["right"] += 1
                versions |= {"1.1.0"} if len(matching) == 1 else set()
            else:
                self.counts["older release"] += 1
                versions |= set(matching)
        return versions

    def damage(self, store, random):
        """Changes one file of the store. Returns a description of the change."""
        paths = sorted(path for path in store.rglob("*") if path.is_file() and path.stat().st_size and not path.name.endswith(PASSED_OVER))
        path = random.choice(paths)
        size = path.stat().st_size
        place = random.randrange(size)
        name = path.relative_to(store)
        match random.randrange(6):
            case 0:
                with open(path, "r+b") as file:
                    file.seek(place)
                    byte = file.read(1)[0]
                    file.seek(place)
                    file.write(bytes([byte ^ 1 << random.randrange(8)]))
                return f"a bit of byte {place} of {name} flipped"
            case 1:
                os.truncate(path, place)
                return f"{name} cut from {size} to {place} bytes"
            case 2:
                os.truncate(path, 0)
                return f"{name} emptied"
            case 3:
                path.unlink()
                return f"{name} deleted"
            case 4:
                with open(path, "r+b") as file:
                    file.seek(place // 4096 * 4096)
                    file.write(bytes(min(4096, size - place // 4096 * 4096)))
                return f"the page of byte {place} of {name} zeroed"
            case _:
                with open(path, "ab") as file:
                    file.write(random.randbytes(100))
                return f"100 bytes added to {name}"

    def repair(self, program, what):
        """`verify` finds the damage if there is any; `--repair` with the archives restores all but a lost catalog."""
        status, _, _ = program.run("verify", allowed={0, 65, 73})
        if status == 0:
            self.counts["irrelevant"] += 1
        else:
            for archive in self.archives.values():
                status, output, errors = program.run("verify", "--repair", "--from", archive, allowed={0, 65, 73})
            if status != 0 and "catalog.sqlite" in what:
                self.counts["catalog lost, and said so"] += 1
                return
            if status != 0:
                raise Finding(f"{what}: not repaired from the archives: {output[-600:]}{errors[-600:]}")
            self.counts["repaired"] += 1
        with Server(program) as server:
            self.look(server, may_fail=False)
