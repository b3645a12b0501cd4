"""Several updaters at once, a server that reads its configuration again, a log that is cut, and a clock that is set.

Meanwhile each response has the content of a release, and in the end the highest version is active and whole.
"""

import json
import os
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .documents import Site
from .target import Finding, Program, Server, write_archive

FILE_COUNT = 20
READERS = 2
UPDATERS = 2
# Steps of the clock in seconds.
STEPS = [0, 1, -1, 3_600, -3_600, 86_400 * 40, -86_400 * 40, 86_400 * 4_000, -86_400 * 4_000]
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


def contents(version):
    result = {"index.html": f"<!doctype html><title>{version}</title>".encode()}
    for number in range(FILE_COUNT):
        result[f"part{number}.js"] = f"// {version if number % 3 else 'all'} {number}\n".encode() + b"u" * (number * 3_000)
    return result


class Attack:
    def __init__(self, bundlectl, scratch):
        self.bundlectl, self.scratch = bundlectl, scratch
        self.site, self.count, self.request_count = Site(scratch / "site"), 0, 0
        self.update_count = self.step_count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.site.close()

    def summary(self):
        clock = f"{self.step_count} steps of the clock" if FAKETIME else "without steps of the clock: no libfaketime"
        return f"{self.update_count} updates beside servers, {self.request_count} responses meanwhile, {clock}"

    def round(self, random):
        folder = self.scratch / f"round{self.count}"
        folder.mkdir()
        self.count += 1
        program = Program(self.bundlectl, folder / "store")
        self.versions, self.offset = {}, folder / "offset"
        self.offset.write_text("+0")
        self.site.clear()
        self.publish(program, folder, "1.0.0")
        program.succeed("install", folder / "1.0.0.zip")
        self.configuration, self.log = folder / "serve.json", folder / "access.log"
        self.configure(random)
        options = ["--config", str(self.configuration), "--access-log", str(self.log)]
        with Server(program, *options, **self.clock()) as server:
            self.load(program, server, folder, random)
            server.check()
        program.succeed("verify")
        self.look_at_end(program)
        shutil.rmtree(folder)

    def clock(self):
        """The environment of a program whose date is what the file says; other clocks stay right."""
        if not FAKETIME:
            return {}
        variables = {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.offset), "FAKETIME_NO_CACHE": "1",
                     "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        # The library changes the environment of the first program, in which a Swift program looks for its arguments.
        return {"env": {**os.environ, **variables}, "launcher": ["env"]}

    def publish(self, program, folder, version):
        self.versions[version] = contents(version)
        manifest = {"feed": f"{self.site.url}/feed.json"}
        archive = write_archive(folder / f"{version}.zip", "attack", version, self.versions[version], **manifest)
        program.succeed_without_store("publish", archive, "--to", self.site.folder)

    def configure(self, random):
        settings = {"checkEvery": random.choice(["1s", "2s", "1h"]), "header": [f"X-Number: {random.randrange(9)}"]}
        new = self.configuration.with_suffix(".new")
        new.write_text(json.dumps(settings))
        new.rename(self.configuration)

    def load(self, program, server, folder, random):
        stop = threading.Event()
        with ThreadPoolExecutor(READERS + UPDATERS) as pool:
            work = [pool.submit(self.read, server, stop) for _ in range(READERS)]
            work += [pool.submit(self.update, program, stop) for _ in range(UPDATERS)]
            try:
                for number in range(1, 6):
                    self.publish(program, folder, f"1.{number}.0")
                    for _ in range(random.randrange(4)):
                        random.choice([self.reload, self.cut_log, self.step])(server, random)
                        time.sleep(random.random() * 0.3)
            finally:
                self.offset.write_text("+0")
                stop.set()
            for item in work:
                item.result()

    def reload(self, server, random):
        self.configure(random)
        server.process.send_signal(signal.SIGHUP)

    def cut_log(self, server, random):
        if random.random() < 0.5:
            os.truncate(self.log, 0)
        else:
            self.log.rename(self.log.with_suffix(".1"))
            server.process.send_signal(signal.SIGUSR1)
            self.log.touch()

    def step(self, server, random):
        self.offset.write_text(f"{random.choice(STEPS):+d}")
        self.step_count += 1

    def update(self, program, stop):
        while not stop.is_set():
            # 75: the other one is at work.
            program.run("update", allowed={0, 75})
            self.update_count += 1

    def read(self, server, stop):
        number = 0
        while not stop.is_set():
            number += 1
            name = f"part{number % FILE_COUNT}.js"
            response = server.get(f"/attack/{name}")
            if response.status != 200 or response.content not in [files[name] for files in list(self.versions.values())]:
                raise Finding(f"{name} came with {response.status} and {response.content[:60]!r}")
            self.request_count += 1

    def look_at_end(self, program):
        program.succeed("update")
        active = json.loads(program.succeed("list", "--json"))["bundles"][0]["active"]
        if active != max(self.versions):
            raise Finding(f"{active} is active, and {max(self.versions)} is offered")
        with Server(program) as server:
            for name, content in self.versions[active].items():
                response = server.get(f"/attack/{name}")
                if response.status != 200 or response.content != content:
                    raise Finding(f"{name} of {active} came with {response.status}")
