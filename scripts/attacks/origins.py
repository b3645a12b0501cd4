"""An origin that breaks HTTP, floods, drips and resets, behind a running server.

Its response depends only on the number in the path, so that a seed reproduces it.
"""

import random
import re
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from .target import Finding, Program, Server, write_archive

CLIENT_COUNT = 8
REQUESTS_A_ROUND = 24
# The server's own limit is 30 s of silence; the client gives up on an origin that drips before that.
CLIENT_SECONDS = 3
FLOOD_BYTES = 8 << 20

PAGE = b"<!doctype html><title>bundled</title>" + b"b" * 3000

# Fields of an origin that affect more than its bundle, which no response may have (SECURITY.md). What concerns nothing but
# the bundle's own host, where the requests go, may come from its origin.
FORBIDDEN_FIELDS = {"alt-svc", "nel", "report-to", "strict-transport-security"}


class Attack:
    def __init__(self, bundlectl, scratch):
        self.origin = HostileOrigin()
        program = Program(bundlectl, scratch / "store")
        url = f"http://127.0.0.1:{self.origin.port}/"
        archive = write_archive(scratch / "attack.zip", "attack", "1.0.0", {"index.html": PAGE}, [{"url": url, "path": "/"}])
        program.succeed("install", archive)
        self.server = Server(program, "--verbose")
        self.statuses = {}

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)
        self.origin.close()

    def summary(self):
        return f"{self.origin.request_count} responses of the origin, statuses {dict(sorted(self.statuses.items()))}"

    def round(self, random):
        numbers = [random.getrandbits(48) for _ in range(REQUESTS_A_ROUND)]
        with ThreadPoolExecutor(CLIENT_COUNT) as clients:
            requests = [clients.submit(self.ask, number) for number in numbers]
            self.look_at_bundled_file()
            for request in requests:
                request.result()
        self.look_at_bundled_file()
        self.server.check()

    def ask(self, number):
        """One request, and for some a second, which the cache may serve; a client may disconnect at any time."""
        kind = random.Random(number)
        method = kind.choice(["GET", "GET", "GET", "HEAD"])
        extra = kind.choice(["", "", "Range: bytes=0-9\r\n", "If-None-Match: \"x\"\r\n", "Cache-Control: no-cache\r\n"])
        # Cookies are only forwarded at the bundle's own host.
        host, folder = kind.choice([("127.0.0.1", "/attack"), ("attack.localhost", "")])
        request = f"{method} {folder}/{number} HTTP/1.1\r\nHost: {host}:{self.server.port}\r\nConnection: close\r\n{extra}\r\n"
        for _ in range(kind.choice([1, 1, 2])):
            try:
                response = self.server.exchange(request.encode(), CLIENT_SECONDS)
            except ConnectionError:
                continue
            except Finding as finding:
                # The server may wait for an origin that drips. Any other delay is a fault.
                if "no whole response" in str(finding):
                    return
                raise
            self.statuses[response.status] = self.statuses.get(response.status, 0) + 1
            self.judge(response, number)

    def judge(self, response, number):
        for name, value in response.fields:
            if name in FORBIDDEN_FIELDS:
                raise Finding(f"{name} of the origin reached a client of path {number}")
            if name == "set-cookie" and re.search(r";\s*domain\s*=", value, re.IGNORECASE):
                raise Finding(f"a cookie for a domain reached a client of path {number}: {value!r}")
            if any(character in value for character in "\r\n\0"):
                raise Finding(f"a control character in {name} reached a client of path {number}")
        if not response["cache-status"]:
            raise Finding(f"{number} has a response of {response.status} without Cache-Status")

    def look_at_bundled_file(self):
        response = self.server.get("/attack/")
        if response.status != 200 or response.content != PAGE:
            raise Finding(f"the bundled page came with {response.status} and {len(response.content)} bytes")


class HostileOrigin:
    """A thread for each connection; the response depends on the number in the path."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.request_count = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            connection.settimeout(20)
            received = b""
            try:
                while True:
                    while b"\r\n\r\n" not in received:
                        if not (part := connection.recv(1 << 16)):
                            return
                        received += part
                    head, _, received = received.partition(b"\r\n\r\n")
                    self.request_count += 1
                    number = int(re.search(rb"/(\d+)", head)[1]) if re.search(rb"/(\d+)", head) else 0
                    if not self.respond(connection, random.Random(number + 1)):
                        return
            except OSError:
                return

    def respond(self, connection, chance):
        """Sends something. Returns whether the connection continues."""
        behaviour = chance.choice(BEHAVIOURS)
        for piece in behaviour(chance):
            if piece is RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            if isinstance(piece, float):
                time.sleep(piece)
                continue
            connection.sendall(piece)
        return chance.random() < 0.5


RESET = object()


def status_line(chance):
    if chance.random() < 0.6:
        return b"HTTP/1.1 %03d X\r\n" % chance.choice([200, 200, 200, 203, 204, 205, 206, 301, 304, 404, 410, 500, 503])
    return chance.choice([
        b"HTTP/1.1 %03d X\r\n" % chance.randrange(1000),
        b"HTTP/1.1 %d\r\n" % chance.randrange(100_000),
        b"HTTP/%d.%d 200 OK\r\n" % (chance.randrange(10), chance.randrange(10)),
        b"HTTP/1.1  200 OK\r\n",
        b"HTTP/1.1 -1 X\r\n",
        b"ICY 200 OK\r\n",
        b"\r\n\r\nHTTP/1.1 200 OK\r\n",
        bytes(chance.randrange(256) for _ in range(chance.randrange(1, 64))) + b"\r\n",
    ])


def fields(chance):
    count = chance.randrange(6)
    return b"".join(chance.choice(FIELDS)(chance) for _ in range(count))


FIELDS = [
    lambda chance: b"Content-Length: %d\r\n" % chance.choice([0, 3, 10, 1 << 31, 1 << 62, 10**30]),
    lambda chance: b"Content-Length: " + chance.choice([b"-1", b"+3", b"0x3", b"3, 3", b"3, 4", b"", b"3 3"]) + b"\r\n",
    lambda chance: b"Transfer-Encoding: " + chance.choice([b"chunked", b"gzip, chunked", b"chunked, chunked", b"x"]) + b"\r\n",
    lambda chance: b"Cache-Control: " + chance.choice([
        b"max-age=60", b"max-age=99999999999999999999", b"max-age=-1", b"no-store", b"private", b"max-age=60, no-cache=\"Set-Cookie\"",
        b"stale-while-revalidate=60, max-age=0", b"max-age=\"60", b",,,=,=", b"max-age=60, must-understand, no-store"]) + b"\r\n",
    lambda chance: b"Vary: " + chance.choice([b"*", b"User-Agent", b"Accept, Cookie, X-" + b"v" * 500, b",,"]) + b"\r\n",
    lambda chance: b"Age: " + chance.choice([b"0", b"-5", b"99999999999999999999999", b"x"]) + b"\r\n",
    lambda chance: b"Date: " + chance.choice([b"Thu, 01 Jan 1970 00:00:00 GMT", b"Fri, 31 Dec 9999 23:59:59 GMT", b"now"]) + b"\r\n",
    lambda chance: b"Expires: " + chance.choice([b"0", b"Fri, 31 Dec 9999 23:59:59 GMT", b"-1"]) + b"\r\n",
    lambda chance: b"ETag: " + chance.choice([b'"x"', b"W/\"x\"", b'"', b"\xe9t\xe9", b'"' + b"e" * 9000 + b'"']) + b"\r\n",
    lambda chance: b"Set-Cookie: " + chance.choice([
        b"a=b; Domain=localhost; Path=/", b"a=b; domain = .example.com", b"__Host-a=b; Secure; Path=/", b"=", b";;;",
        b"a=" + b"c" * 5000, b"a=b; Path=/; PATH=/other", b"a=b;\tDomain=x"]) + b"\r\n",
    lambda chance: chance.choice([b"Service-Worker-Allowed: /", b'Clear-Site-Data: "*"', b'Alt-Svc: h3=":443"', b"NEL: {}",
        b"Report-To: {}", b"Strict-Transport-Security: max-age=9", b"strict-transport-security : x"]) + b"\r\n",
    lambda chance: b"Content-Range: " + chance.choice([b"bytes 0-9/10", b"bytes 9-0/1", b"bytes */*", b"x"]) + b"\r\n",
    lambda chance: b"Location: " + chance.choice([b"/", b"//evil.example/", b"http://169.254.169.254/", b"\x01"]) + b"\r\n",
    lambda chance: b"Connection: " + chance.choice([b"close", b"keep-alive", b"upgrade", b"Set-Cookie, ETag"]) + b"\r\n",
    lambda chance: b"X-Bytes: " + bytes(chance.randrange(1, 256) for _ in range(40)).replace(b"\r", b"").replace(b"\n", b"") + b"\r\n",
    lambda chance: chance.choice([b" folded: x\r\n", b"no colon\r\n", b"Space : x\r\n", b": empty\r\n", b"X\0Y: z\r\n", b"LF: only\n"]),
    lambda chance: b"X-Long: " + b"l" * chance.choice([9_000, 90_000, 900_000]) + b"\r\n",
    lambda chance: b"".join(b"X-%d: y\r\n" % number for number in range(chance.choice([100, 1_000, 20_000]))),
]


def chunked_body(chance):
    yield b"Transfer-Encoding: chunked\r\n\r\n"
    for _ in range(chance.randrange(8)):
        kind = chance.randrange(10)
        if kind == 0:
            yield chance.choice([b"-1\r\n", b"ffffffffffffffff1\r\n", b"7fffffffffffffff\r\n", b"zz\r\n", b"\r\n", b"3\n", b"0x3\r\n"])
        elif kind == 1:
            yield b"3;" + b"e" * chance.choice([10, 5_000, 1 << 20]) + b"\r\nabc\r\n"
        elif kind == 2:
            yield b"3\r\nabcX\r\n"
        else:
            size = chance.choice([1, 3, 100, 70_000])
            yield b"%x\r\n" % size + b"c" * size + b"\r\n"
    yield chance.choice([b"0\r\n\r\n", b"0\r\n\r\n", b"0\r\nTrailer: x\r\n\r\n", b"0\r\n" + b"T: y\r\n" * 50_000 + b"\r\n", b""])


def plain(chance):
    yield status_line(chance) + fields(chance)
    yield b"Content-Length: 3\r\n\r\nabc"


def odd(chance):
    yield status_line(chance) + fields(chance) + b"\r\n"
    yield bytes(chance.randrange(256) for _ in range(chance.choice([0, 3, 10, 1000])))


def chunked(chance):
    yield status_line(chance) + fields(chance)
    yield from chunked_body(chance)


def two_responses(chance):
    yield from plain(chance)
    yield from plain(chance)


def interim_flood(chance):
    interim = b"HTTP/1.1 %03d X\r\nLink: </x>\r\n\r\n" % chance.choice([100, 102, 103, 199])
    for _ in range(chance.choice([1, 5, 200, 2_000])):
        yield interim * 10
    yield from plain(chance)


def interim_with_body(chance):
    yield b"HTTP/1.1 %03d X\r\nContent-Length: 3\r\n\r\nabc" % chance.randrange(200)
    yield from plain(chance)


def endless_extension(chance):
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;"
    for _ in range(FLOOD_BYTES >> 16):
        yield b"e" * (1 << 16)


def endless_head(chance):
    yield b"HTTP/1.1 200 OK\r\n"
    for _ in range(FLOOD_BYTES >> 16):
        yield chance.choice([b"x", b"X: y\r\n"]) * (1 << 14)


def long_body(chance):
    yield b"HTTP/1.1 200 OK\r\n" + fields(chance) + b"\r\n"
    for _ in range(FLOOD_BYTES >> 16):
        yield b"b" * (1 << 16)


def tiny_chunks(chance):
    yield b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
    for _ in range(64):
        yield b"1\r\nx\r\n" * 256
    yield b"0\r\n\r\n"


def drip(chance):
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b"d" * 50:
        yield bytes([byte])
        yield 0.02


def reset(chance):
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"[: chance.randrange(45)]
    yield RESET


def broken_off(chance):
    yield status_line(chance) + fields(chance) + b"Content-Length: 100000\r\n\r\n" + b"b" * chance.randrange(100_000)
    if chance.random() < 0.5:
        yield RESET


def random_bytes(chance):
    yield chance.randbytes(chance.choice([1, 100, 10_000]))


def nothing(chance):
    yield b""


BEHAVIOURS = [
    plain, plain, plain, odd, odd, chunked, chunked, two_responses, interim_flood, interim_with_body, endless_extension,
    endless_head, long_body, tiny_chunks, drip, reset, broken_off, random_bytes, nothing,
]
