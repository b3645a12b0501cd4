import BundleTesting
import Testing

/// Connections between a page in Chromium and its origin that stay open.
@Suite(.enabled(if: Browser.isInstalled, "chromium and chromedriver are not installed; see scripts/bootstrap tests"))
struct StreamBrowserTests {
    @Test(.timeLimit(.minutes(5)))
    func `a page exchanges messages with its origin over a WebSocket, and the origin sees its end`() async throws {
        let received = Monitor<[WebSocketPeer.Message]>([])
        let origins = Monitor<[String?]>([])
        let end = Latch()
        try await withTalkingOrigin { peer in
            let socket = try await WebSocketPeer(accepting: peer)
            let origin = socket.request["origin"]
            origins.update { $0.append(origin) }
            try await socket.send(.text("welcome"))
            while true {
                let message = try await socket.receive()
                received.update { $0.append(message) }
                try await socket.send(message)
                if case .close = message { break }
            }
            await socket.waitForEnd()
            end.open()
        } _: { origin in
            try await Self.withPage(of: origin) { browser in
                let result = try await browser.execute(Self.conversation)
                #expect(result == ["welcome", "hello", 1_000, 4_001, true])
                try await end.wait()
            }
            #expect(origins.state == ["http://\(origin.authority)"])
        }
        #expect(received.state == [.text("hello"), .binary(Array(repeating: 7, count: 1_000)), .close(4_001)])
    }

    /// Each is sent once the page has the one before.
    @Test(.timeLimit(.minutes(5)))
    func `a page gets the events of its origin one by one, and the origin sees that it closes`() async throws {
        let requests = [Latch(), Latch(), Latch()]
        let end = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            let type = "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n"
            try await peer.send("HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\n\r\n")
            for (number, request) in requests.enumerated() {
                try await request.wait()
                try await peer.send("9\r\ndata: \(number)\n\n\r\n")
            }
            await peer.waitForEnd()
            end.open()
        } _: { origin in
            try await Self.withPage(of: origin) { browser in
                try await browser.execute(
                    """
                    window.events = [];
                    window.source = new EventSource('events');
                    source.onmessage = ({ data }) => events.push(data);
                    """
                )
                try await browser.wait(until: "source.readyState === EventSource.OPEN")
                for (number, request) in requests.enumerated() {
                    request.open()
                    try await browser.wait(until: "events.length === \(number + 1)")
                }
                #expect(try await browser.execute("return events") == ["0", "1", "2"])
                try await browser.execute("source.close()")
                try await end.wait()
            }
        }
    }

    private static let conversation = """
        return new Promise((resolve) => {
            const socket = new WebSocket(`ws://${location.host}/socket`);
            const received = [];
            socket.binaryType = 'arraybuffer';
            socket.onmessage = ({ data }) => {
                received.push(typeof data === 'string' ? data : data.byteLength);
                if (received.length === 1) socket.send('hello');
                if (received.length === 2) socket.send(new Uint8Array(1000).fill(7));
                if (received.length === 3) socket.close(4001);
            };
            socket.onclose = ({ code, wasClean }) => resolve([...received, code, wasClean]);
        });
        """

    private static func withPage(of origin: TalkingOrigin, _ body: (Browser) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let app = SampleApp(in: folder)
            try await app.installPages(["index.html": ""], origin: "http://\(origin.authority)")
            // Of a client that closes while nothing is sent, the system says only that nothing follows: then this limit
            // counts.
            try await app.bundlectl.serving("--write-timeout", "1s") { address, _ in
                try await withBrowser { browser in
                    try await browser.navigate(to: Bundlectl.own("shop", address))
                    try await body(browser)
                }
            }
        }
    }
}
