"""The program under attack: its commands, its server, and the invariants that hold for them."""

import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time
import zipfile

# The time limit of a command, far more than it should take: shared machines are sometimes slow.
COMMAND_SECONDS = 120
# The time limit of a response with a bundled file, whatever else the server does.
BUNDLED_SECONDS = 10
# The most bytes of anonymous memory of a server.
MEMORY_BAR = 256 << 20
# The allowed exit statuses of a command (ExitStatus.md).
EXIT_CODES = {0, 10, 64, 65, 69, 73, 75}


class Finding(Exception):
    """A violation of a promise."""


def write_archive(path, name, version, files, origins=(), **manifest):
    """An intact release; `files` are contents by path."""
    manifest = {"name": name, "version": version, "origins": list(origins), **manifest}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bundle.json", json.dumps(manifest))
        for file, content in files.items():
            archive.writestr(file, content)
    return path


class Process(subprocess.Popen):
    """A process whose largest resident set is known once it has ended. That of this process counts for it, too."""

    peak_memory = 0

    def _try_wait(self, flags):
        try:
            identifier, status, usage = os.wait4(self.pid, flags)
        except ChildProcessError:
            return self.pid, 0
        if identifier:
            self.peak_memory = usage.ru_maxrss << 10
        return identifier, status


class Program:
    """`bundlectl` with a store of its own."""

    def __init__(self, bundlectl, store):
        self.bundlectl, self.store = bundlectl, store

    def start(self, verb, *arguments, launcher=(), **options):
        return Process(
            [*launcher, self.bundlectl, verb, *map(str, arguments), "--store", str(self.store)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            **options,
        )

    def run(self, verb, *arguments, allowed=EXIT_CODES, started=lambda process: None, **options):
        """The exit status and the output.

        Raises Finding when the command crashes, hangs, or exits with a status that isn't in `allowed`.
        """
        process = self.start(verb, *arguments, **options)
        started(process)
        try:
            output, errors = process.communicate(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Finding(f"{verb} {arguments} took over {COMMAND_SECONDS} s") from None
        if process.returncode not in allowed:
            raise Finding(f"{verb} {arguments} ended with {process.returncode}: {errors.strip()[-2000:]}")
        return process.returncode, output, errors

    def measure(self, verb, *arguments):
        """The exit status, and the largest resident set in bytes; see run."""
        processes = []
        status = self.run(verb, *arguments, started=processes.append)[0]
        return status, processes[0].peak_memory

    def succeed_without_store(self, verb, *arguments):
        subprocess.run([self.bundlectl, verb, *map(str, arguments)], check=True, capture_output=True)

    def succeed(self, verb, *arguments):
        return self.run(verb, *arguments, allowed={0})[1]


class Response:
    """A response as it was sent: the status, the fields in order, the content."""

    def __init__(self, status, fields, content):
        self.status, self.fields, self.content = status, fields, content

    def __getitem__(self, name):
        return next((value for field, value in self.fields if field == name), None)


class Server:
    """A running `bundlectl serve`; leaving the context checks that it is alive, and ends it."""

    def __init__(self, program, *options, **process):
        self.program, self.is_ending = program, False
        listen = () if "--listen" in options else ("--listen", "127.0.0.1:0")
        self.process = program.start("serve", *listen, "--compress-local", *options, **process)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.kill()
            raise Finding(f"serve didn't start: {self.process.communicate()[1][-2000:]}")
        # Not a number for a Unix socket.
        self.port = line.split()[2].rstrip("/").rsplit(":", 1)[1]
        self.port = int(self.port) if self.port.isdigit() else None
        # Its log is drained continuously, because a full pipe would block it.
        self.log = []
        self._drain(self.process.stderr)

    def _drain(self, stream):
        def read():
            for line in stream:
                self.log.append(line)
                del self.log[:-200]

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.check()
        finally:
            self.kill(signal.SIGTERM)

    def kill(self, number=signal.SIGKILL):
        self.is_ending = True
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Finding("serve didn't end within 30 s of SIGTERM") from None
        self.reader.join(timeout=5)
        self.process.stdout.close()

    def check(self):
        """Raises Finding when the server exceeds its memory limit."""
        if (status := self.process.poll()) is not None:
            self.reader.join(timeout=5)
            raise Finding(f"serve ended with {status}: {''.join(self.log)[-2000:]}")
        if self.memory > MEMORY_BAR:
            raise Finding(f"serve has {self.memory / 1e6:.0f} MB of anonymous memory")

    @property
    def memory(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))
        except (OSError, StopIteration):
            return 0

    def connect(self, timeout):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def get(self, path, timeout=BUNDLED_SECONDS, fields=""):
        """The response to a GET.

        Raises Finding when the server isn't running, violates HTTP or takes too long; ConnectionError when the response is
        cut.
        """
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n{fields}\r\n"
        return self.exchange(request.encode(), timeout)

    def exchange(self, request, timeout=BUNDLED_SECONDS):
        deadline = time.monotonic() + timeout
        try:
            with self.connect(timeout) as connection:
                connection.sendall(request)
                received = bytearray()
                while True:
                    connection.settimeout(max(0.001, deadline - time.monotonic()))
                    if not (part := connection.recv(1 << 16)):
                        break
                    received += part
        except TimeoutError:
            self.check()
            raise Finding(f"no whole response within {timeout} s to {request[:200]!r}") from None
        except ConnectionRefusedError:
            self.check()
            raise Finding("serve is running and refuses connections") from None
        return parse(bytes(received), request)


def parse(received, request):
    """A response with the content that its fields announce, read strictly (RFC 9112)."""
    response, interim_fields = parse_head(received, request), []
    # Interim responses are passed on (RFC 9110 section 15.2), and judged as the final one is.
    while response.status < 200:
        interim_fields += response.fields
        response = parse_head(response.content, request)
    content = response.content
    if (response["transfer-encoding"] or "").lower() == "chunked":
        response.content = dechunked(content, request)
    elif (length := response["content-length"]) is not None and request[:4] != b"HEAD" and response.status not in (204, 304):
        if len(content) < int(length):
            raise ConnectionError("the content broke off")
        if len(content) > int(length):
            raise Finding(f"{len(content)} bytes of content instead of {length} in response to {request[:300]!r}")
    response.fields += interim_fields
    return response


def parse_head(received, request):
    """A response whose content is all that follows."""
    head, blank, content = received.partition(b"\r\n\r\n")
    if not blank:
        raise ConnectionError(f"no head in {received[:200]!r}")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    is_status = status_line.startswith("HTTP/1.") and status_line[9:12].isdigit()
    if not is_status or not 100 <= int(status_line[9:12]) < 600 or int(status_line[9:12]) == 101:
        raise Finding(f"{status_line!r} in response to {request[:300]!r}")
    fields = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or any(ord(c) < 33 or ord(c) > 126 for c in name):
            raise Finding(f"the field {line!r} in response to {request[:300]!r}")
        fields.append((name.lower(), value.strip()))
    return Response(int(status_line[9:12]), fields, content)


def dechunked(content, request):
    result = bytearray()
    while True:
        line, end, content = content.partition(b"\r\n")
        if not end:
            raise ConnectionError("the content broke off")
        try:
            size = int(line, 16)
        except ValueError:
            raise Finding(f"the chunk size {line[:80]!r} in response to {request[:300]!r}") from None
        if size == 0:
            return bytes(result)
        if len(content) < size + 2:
            raise ConnectionError("the content broke off")
        result += content[:size]
        content = content[size + 2 :]


def children_peak_memory():
    """The largest resident set that any child of this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
