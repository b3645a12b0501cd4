"""Clients that connect and are slow, silent or wrong, on each listener: clear text, TLS, a Unix socket, and the operators'.

While they are there, and after, each listener responds to others in time; when they have gone, so has what they held.
"""

import contextlib
import socket
import ssl
import struct
import subprocess
import time
from pathlib import Path

from .target import BUNDLED_SECONDS, Finding, Program, Server, write_archive

PAGE = b"<!doctype html><title>bundled</title>" + b"b" * 300_000
CLIENT_COUNT = 100
# Of one address, so that others have room.
LIMITS = ["--max-connections-per-address", "400", "--head-timeout", "2s", "--write-timeout", "2s", "--idle-timeout", "5s"]
RELEASE_SECONDS = 60
SPARE_DESCRIPTORS = 32
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
REQUEST = b"GET /attack/ HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Attack:
    def __init__(self, bundlectl, scratch):
        program = Program(bundlectl, scratch / "store")
        program.succeed("install", write_archive(scratch / "one.zip", "attack", "1.0.0", {"index.html": PAGE}))
        certificate, key, path = scratch / "c.pem", scratch / "k.pem", scratch / "socket"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
             "-days", "2", "-keyout", key, "-out", certificate],
            check=True, capture_output=True,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            admin = free.getsockname()
        clear = Server(program, *LIMITS, "--admin", f"127.0.0.1:{admin[1]}")
        secure = Server(program, *LIMITS, "--tls-certificate", str(certificate), "--tls-key", str(key))
        local = Server(program, *LIMITS, "--listen", f"unix:{path}")
        self.servers = [clear, secure, local]
        self.listeners = {
            "clear": Listener("clear", ("127.0.0.1", clear.port)), "TLS": Listener("TLS", ("127.0.0.1", secure.port), secure=True),
            "socket": Listener("socket", str(path)), "admin": Listener("admin", admin, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        }
        for listener in self.listeners.values():
            listener.look()
        self.descriptors = [descriptors(server) for server in self.servers]
        self.slowest = dict.fromkeys(self.listeners, 0.0)
        self.peak = 0

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        for server in self.servers:
            server.__exit__(*arguments)

    def summary(self):
        times = ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in self.slowest.items())
        return f"slowest responses to others: {times}; at most {self.peak / 1e6:.0f} MB of anonymous memory"

    def round(self, random):
        for name, listener in self.listeners.items():
            ways = [self.silent, self.begun, self.dripping, self.unread, self.wrong, self.reset]
            with contextlib.ExitStack() as stack:
                for way in random.sample(ways, 3):
                    clients = [c for _ in range(CLIENT_COUNT) if (c := listener.client(stack))]
                    way(clients, random)
                    for _ in range(3):
                        self.slowest[name] = max(self.slowest[name], listener.look())
        for server in self.servers:
            self.peak = max(self.peak, server.memory)
            server.check()
        self.wait_for_release()

    def silent(self, clients, random):
        """They say nothing."""

    def begun(self, clients, random):
        for client in clients:
            say(client, random.choice([b"G", REQUEST[:-2], PREFACE, PREFACE[:10], b"\x16\x03\x01\x02\x00\x01", b"\x16\x03\x01\xff\xff"]))

    def dripping(self, clients, random):
        for place in range(8):
            for client in clients:
                say(client, REQUEST[place : place + 1])

    def unread(self, clients, random):
        for client in clients:
            say(client, REQUEST * random.choice([1, 1, 50]))

    def wrong(self, clients, random):
        for client in clients:
            say(client, random.choice([random.randbytes(300), b"\x00" * 5_000, REQUEST.replace(b"/", b" "), PREFACE + random.randbytes(90)]))

    def reset(self, clients, random):
        for client in clients:
            say(client, random.choice([b"", REQUEST, PREFACE]))
            with contextlib.suppress(OSError):
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()

    def wait_for_release(self):
        deadline = time.monotonic() + RELEASE_SECONDS
        for server, before in zip(self.servers, self.descriptors):
            while (extra := descriptors(server) - before) > SPARE_DESCRIPTORS:
                if time.monotonic() > deadline:
                    raise Finding(f"{RELEASE_SECONDS} s after all clients have gone, {extra} more descriptors are open")
                time.sleep(0.1)


class Listener:
    def __init__(self, name, address, request=REQUEST, secure=False):
        self.name, self.address, self.request, self.is_secure = name, address, request, secure
        self.family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET

    def client(self, stack):
        """A client of the attack; None when none is accepted."""
        client = stack.enter_context(socket.socket(self.family))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 10)
        client.settimeout(BUNDLED_SECONDS)
        try:
            client.connect(self.address)
        except OSError:
            return None
        return client

    def look(self):
        """How long another client waits for a whole response."""
        begin = time.monotonic()
        try:
            with socket.socket(self.family) as client:
                client.settimeout(BUNDLED_SECONDS)
                client.connect(self.address)
                if self.is_secure:
                    context = ssl.create_default_context()
                    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                    client = context.wrap_socket(client)
                client.sendall(self.request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
                received = b""
                while part := client.recv(1 << 16):
                    received += part
        except (OSError, ssl.SSLError) as error:
            raise Finding(f"{self.name}: another client gets {error!r} after {time.monotonic() - begin:.1f} s") from None
        head, _, content = received.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200") or (self.request is REQUEST and content != PAGE):
            raise Finding(f"{self.name}: another client gets {head[:200]!r} and {len(content)} bytes")
        return time.monotonic() - begin


def say(client, text):
    with contextlib.suppress(OSError):
        client.send(text, socket.MSG_DONTWAIT)


def descriptors(server):
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
