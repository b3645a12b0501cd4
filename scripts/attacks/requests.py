"""Broken requests to a running server, which must still respond to all others."""

from .target import Finding, Program, Server, parse, write_archive

REQUESTS_A_ROUND = 40
PAGE = b"<!doctype html><title>bundled</title>"
SECRET = b"no request for another bundle may get this"

SEEDS = [
    b"GET /attack/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /attack/index.html HTTP/1.1\r\nHost: attack.localhost\r\nRange: bytes=0-4,7-9\r\nIf-Range: \"x\"\r\n\r\n",
    b"GET http://attack.localhost/ HTTP/1.1\r\nHost: attack.localhost\r\nAccept-Encoding: br;q=0.5, gzip\r\n\r\n",
    b"HEAD /attack/missing HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: W/\"a\", \"b\"\r\nCookie: a=b; c=d\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x.example\r\nAccess-Control-Request-Method: GET\r\n\r\n",
    b"GET /attack/ HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
    b"GET /attack/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) + bytes(20),
    b"GET /attack/%2e%2e/..;/%c0%af HTTP/1.1\r\nHost: [::1]:80\r\nSec-Fetch-Mode: navigate\r\n\r\n",
]
TOKENS = [
    b"\r\n", b"\n", b"\0", b" ", b"\t", b":", b"%", b"%00", b"%2f", b"..", b"..;", b"//", b"\\", b"HTTP/1.1", b"HTTP/9.9",
    b"Host: other.localhost\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: -1\r\n", b"\xff\xfe", b"a" * 9000,
    b"Transfer-Encoding: x\r\n", b"Range: bytes=-,9-1,0-0,-99999999999999999999\r\n", b"Expect: 100-continue\r\n", b"\x80\x81",
    b"Upgrade: h2c\r\nConnection: upgrade\r\n", b"X: y\r\n" * 300, b";" * 500, b"Available-Dictionary: :pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=:\r\n",
]


class Attack:
    def __init__(self, bundlectl, scratch):
        program = Program(bundlectl, scratch / "store")
        program.succeed("install", write_archive(scratch / "attack.zip", "attack", "1.0.0", {"index.html": PAGE}))
        program.succeed("install", write_archive(scratch / "other.zip", "other", "1.0.0", {"index.html": SECRET}))
        self.server = Server(program)
        self.request_count = self.response_count = 0

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.server.__exit__(*arguments)

    def summary(self):
        return f"{self.request_count} requests, {self.response_count} responses"

    def round(self, random):
        for _ in range(REQUESTS_A_ROUND):
            self.send(b"".join(mutated(random) for _ in range(random.choice([1, 1, 1, 3]))), random)
        response = self.server.get("/attack/")
        if response.status != 200 or response.content != PAGE:
            raise Finding(f"the page came with {response.status} and {len(response.content)} bytes")
        self.server.check()

    def send(self, request, random):
        self.request_count += 1
        received = b""
        try:
            with self.server.connect(5) as connection:
                cut = random.randrange(len(request) + 1)
                connection.sendall(request[:cut])
                connection.sendall(request[cut:])
                connection.shutdown(1)
                while part := connection.recv(1 << 16):
                    received += part
        except TimeoutError:
            raise Finding(f"a connection stays open after {request[:300]!r}") from None
        except ConnectionError:
            pass
        if SECRET in received and b"other" not in request:
            raise Finding(f"another bundle's page in response to {request[:300]!r}")
        if received.startswith(b"HTTP/1."):
            self.response_count += 1
            parse_first(received, request)


def parse_first(received, request):
    """Checks the head of the first response; more may follow it, and it may be incomplete."""
    head, blank, _ = received.partition(b"\r\n\r\n")
    if blank:
        parse(head + blank, b"HEAD")


def mutated(random):
    request = bytearray(random.choice(SEEDS))
    for _ in range(random.randrange(6)):
        place = random.randrange(len(request) + 1)
        match random.randrange(5):
            case 0:
                request[place:place] = random.choice(TOKENS)
            case 1:
                del request[place : place + random.randrange(1, 12)]
            case 2:
                request[place : place + 1] = bytes([random.randrange(256)])
            case 3:
                end = place + random.randrange(1, 40)
                request[place:place] = request[place:end] * random.choice([1, 2, 50])
            case 4:
                other = random.choice(SEEDS)
                request[place:] = other[random.randrange(len(other)) :]
    return bytes(request)
