"""Clients that don't read, that leave, and that request what isn't stored, of an origin that hangs, resets and floods.

After each round all of them have gone, and so must be what they held: descriptors, connections to the origin, memory.
"""

import contextlib
import random
import socket
import struct
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .target import Finding, Program, Server, write_archive

PAGE = b"<!doctype html><title>bundled</title>" + b"b" * 3000
CLIENT_COUNT = 16
UNREAD_COUNT, ABANDONED_COUNT, DISTINCT_COUNT = 100, 300, 1_000
# A client that closes without having read is seen once a write to it fails; one whose origin is silent, after this.
WRITE_TIMEOUT = 2
# The wait for what the gone clients held; several times what it takes, for busy machines.
RELEASE_SECONDS = 60
# Descriptors that come with threads, and with files of the store that are open for reading.
SPARE_DESCRIPTORS = 32


class Attack:
    def __init__(self, bundlectl, scratch):
        self.origin = Origin()
        program = Program(bundlectl, scratch / "store")
        url = f"http://127.0.0.1:{self.origin.port}/"
        origins = [{"url": url, "path": "/"}]
        archive = write_archive(scratch / "crowd.zip", "crowd", "1.0.0", {"index.html": PAGE}, origins)
        program.succeed("install", archive)
        limits = ["--write-timeout", f"{WRITE_TIMEOUT}s", "--cache-size", "64MB", "--cache-memory", "16MB"]
        self.server = Server(program, *limits)
        self.server.get("/crowd/")
        self.descriptors = self.open_descriptors()
        self.peak, self.statuses = 0, {}

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)
        self.origin.close()

    def summary(self):
        return f"{self.origin.request_count} requests to the origin, statuses {dict(sorted(self.statuses.items()))}, " \
            f"at most {self.peak / 1e6:.0f} MB of anonymous memory"

    def open_descriptors(self):
        return len(list(Path(f"/proc/{self.server.process.pid}/fd").iterdir()))

    def round(self, chance):
        crowd = chance.sample([self.unread, self.abandoned, self.distinct, self.broken], 4)
        for attack in crowd:
            attack(chance)
            self.look_at_bundled_file()
        self.peak = max(self.peak, self.server.memory)
        self.server.check()
        self.wait_for_release()

    def unread(self, chance):
        """Clients that read nothing of a long response, stored or not."""
        with contextlib.ExitStack() as stack:
            for number in range(UNREAD_COUNT):
                client = stack.enter_context(socket.socket())
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 10)
                client.connect(("127.0.0.1", self.server.port))
                path = chance.choice([f"long/{chance.randrange(10)}", f"endless/{number}", "stored/long"])
                client.sendall(request(path))
            self.look_at_bundled_file()
            self.peak = max(self.peak, self.server.memory)

    def abandoned(self, chance):
        """Clients that leave before there is a response, or early in it."""
        for _ in range(ABANDONED_COUNT):
            with socket.create_connection(("127.0.0.1", self.server.port)) as client:
                number = chance.randrange(1_000)
                client.sendall(request(chance.choice(["hang/one", f"hang/{number}", "drip/one", f"endless/{number}"])))
                if chance.random() < 0.2:
                    client.settimeout(0.05)
                    with contextlib.suppress(OSError):
                        client.recv(1 << 10)
                if chance.random() < 0.5:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def distinct(self, chance):
        """Clients that read what each other has not requested."""
        paths = [f"stored/{chance.getrandbits(40)}" for _ in range(DISTINCT_COUNT)]
        with ThreadPoolExecutor(CLIENT_COUNT) as clients:
            for status in clients.map(self.status, paths):
                if status != 200:
                    raise Finding(f"a storable response came with {status}")

    def broken(self, chance):
        with ThreadPoolExecutor(CLIENT_COUNT) as clients:
            paths = [f"{chance.choice(['reset', 'giant', 'many', 'cut'])}/{chance.random()}" for _ in range(200)]
            for path, status in zip(paths, clients.map(self.status, paths)):
                if status not in (200, 502, 504, None):
                    raise Finding(f"{path} came with {status}")

    def status(self, path):
        try:
            status = self.server.exchange(request(path, "Connection: close\r\n"), 20).status
        except (ConnectionError, Finding) as error:
            if isinstance(error, Finding) and "no whole response" not in str(error):
                raise
            status = None
        self.statuses[str(status)] = self.statuses.get(str(status), 0) + 1
        return status

    def look_at_bundled_file(self):
        response = self.server.get("/crowd/")
        if response.status != 200 or response.content != PAGE:
            raise Finding(f"the bundled page came with {response.status} and {len(response.content)} bytes")

    def wait_for_release(self):
        """Idle connections to the origin stay."""
        deadline = time.monotonic() + RELEASE_SECONDS
        while self.origin.busy_count or self.extra_descriptors() > SPARE_DESCRIPTORS:
            if time.monotonic() > deadline:
                raise Finding(
                    f"{RELEASE_SECONDS} s after all clients have gone, responses of the origin are awaited "
                    f"({self.origin.busy_paths()}), and {self.extra_descriptors()} more descriptors open"
                )
            time.sleep(0.1)

    def extra_descriptors(self):
        return self.open_descriptors() - self.descriptors - self.origin.idle_count


def request(path, fields=""):
    return f"GET /crowd/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode()


class Origin:
    """A thread for each connection; the first component of the path says how it responds."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.request_count = 0
        self.lock = threading.Lock()
        self.idle_count, self.busy = 0, []
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    @property
    def busy_count(self):
        return len(self.busy)

    def busy_paths(self):
        return dict(Counter(path.split("/")[1] for path in self.busy))

    @contextlib.contextmanager
    def idle(self):
        with self.lock:
            self.idle_count += 1
        try:
            yield
        finally:
            with self.lock:
                self.idle_count -= 1

    @contextlib.contextmanager
    def responding(self, path):
        with self.lock:
            self.busy.append(path)
        try:
            yield
        finally:
            with self.lock:
                self.busy.remove(path)

    def serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while path := self.next_path(connection):
                self.request_count += 1
                with self.responding(path):
                    if not getattr(self, path.split("/")[1])(connection):
                        return

    def next_path(self, connection):
        """No request comes before the response to the one before."""
        received = b""
        with self.idle():
            while b"\r\n\r\n" not in received:
                if not (piece := connection.recv(1 << 16)):
                    return None
                received += piece
        return received.split()[1].decode()

    def long(self, connection, fields="Cache-Control: no-store\r\n"):
        connection.sendall(f"HTTP/1.1 200 OK\r\n{fields}Content-Length: {4 << 20}\r\n\r\n".encode() + b"l" * (4 << 20))
        return True

    def stored(self, connection):
        length = random.choice([100, 10_000, 100_000])
        fields = f"HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nETag: \"a\"\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(fields.encode() + b"s" * length)
        return True

    def endless(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"8000\r\n" + b"e" * 0x8000 + b"\r\n")

    def hang(self, connection):
        connection.recv(1)
        return False

    def drip(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 100000\r\n\r\n")
        while True:
            connection.sendall(b"d")
            time.sleep(0.2)

    def reset(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nr")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def cut(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 100\r\n\r\nc")
        return False

    def giant(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Giant: " + b"g" * (16 << 20) + b"\r\n\r\n")
        return False

    def many(self, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(200_000)) + b"\r\n")
        return False
