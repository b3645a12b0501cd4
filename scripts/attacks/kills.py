"""Commands and servers that are killed while they work: the store is intact, and one whole release is served."""

import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from .target import Finding, Program, Server, write_archive

FILE_COUNT = 40
VERSION_COUNT = 6
READERS = 4
KEPT = "2"


def contents(version):
    result = {"index.html": f"<!doctype html><title>{version}</title>".encode()}
    for number in range(FILE_COUNT):
        result[f"part{number}.js"] = f"// {version if number % 4 else 'all'} {number}\n".encode() + b"k" * (number * 2_000)
    return result


class Attack:
    def __init__(self, bundlectl, scratch):
        self.program = Program(bundlectl, scratch / "store")
        self.contents = {version: contents(version) for version in (f"1.{number}.0" for number in range(VERSION_COUNT))}
        self.versions = list(self.contents)
        self.archives = {
            version: write_archive(scratch / f"{version}.zip", "attack", version, files)
            for version, files in self.contents.items()
        }
        self.program.succeed("install", self.archives["1.0.0"])
        self.kill_count = self.request_count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def summary(self):
        return f"{self.kill_count} processes killed, {self.request_count} responses meanwhile"

    def round(self, random):
        server = Server(self.program)
        try:
            self.load(server, random)
        finally:
            server.kill(signal.SIGTERM)
        self.program.succeed("verify")
        self.look_at_release()

    def load(self, server, random):
        """Kills commands, and sometimes the server, while clients read."""
        stop = threading.Event()
        with ThreadPoolExecutor(READERS) as readers:
            loads = [readers.submit(self.read, server, random.randrange(FILE_COUNT), stop) for _ in range(READERS)]
            try:
                for _ in range(4):
                    self.kill_a_command(random)
                server.check()
                if random.random() < 0.3:
                    server.kill(signal.SIGKILL)
                    self.kill_count += 1
            finally:
                stop.set()
            for load in loads:
                load.result()

    def kill_a_command(self, random):
        version = random.choice(self.versions)
        command = random.choice([
            ("install", self.archives[version], "--keep", KEPT), ("install", self.archives[version], "--force", "--keep", KEPT),
            ("activate", f"attack@{version}"), ("rollback", "attack"), ("remove", f"attack@{version}"), ("prune", "--keep", KEPT),
            ("verify", "--repair", "--offline"), ("pin", f"attack@{version}"), ("unpin", f"attack@{version}"),
        ])
        if command[0] == "remove":
            # Removing the only version removes the bundle.
            other = random.choice([other for other in self.versions if other != version])
            self.program.succeed("install", self.archives[other], "--force", "--keep", KEPT)
        process = self.program.start(*command)
        time.sleep(random.choice([0.005, 0.03, 0.1]) * random.random() * 2)
        process.kill()
        process.communicate()
        self.kill_count += 1

    def read(self, server, number, stop):
        """Reads files until `stop` is set or the server was killed: each has the content of some release."""
        while not stop.is_set():
            name = f"part{number % FILE_COUNT}.js"
            number += 1
            try:
                response = server.get(f"/attack/{name}")
            except (ConnectionError, Finding) as error:
                if server.is_ending:
                    return
                raise Finding(f"{name}: {error}") from None
            if response.status != 200 or response.content not in [files[name] for files in self.contents.values()]:
                raise Finding(f"{name} came with {response.status} and {response.content[:60]!r}")
            self.request_count += 1

    def look_at_release(self):
        """One whole release is served."""
        with Server(self.program) as server:
            page = server.get("/attack/")
            match = re.search(rb"<title>(.*?)</title>", page.content)
            if page.status != 200 or not match or match[1].decode() not in self.versions:
                raise Finding(f"the page came with {page.status}: {page.content[:80]!r}")
            for name, content in self.contents[match[1].decode()].items():
                response = server.get(f"/attack/{name}")
                if response.status != 200 or response.content != content:
                    raise Finding(f"{name} of {match[1].decode()} came with {response.status}")
