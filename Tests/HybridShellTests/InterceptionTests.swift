import BundleTesting
import Foundation
import HTTPTypes
import Testing

/// What the shell does with the window's connections.
@Suite(
    "The shell as the window's proxy",
    .serialized,
    .enabled(if: ShellWindow.canRun, "scripts/test builds the shell after scripts/bootstrap window")
)
struct InterceptionTests {
    @Test("a bundle that is installed while the window is open has its origins at once", .timeLimit(.minutes(5)))
    func laterOrigins() async throws {
        try await withTemporaryDirectory { folder in
            let app = try await ShellApp(in: folder)
            let origin = OriginServer()
            origin.route("/", to: ScriptedResponse("<!doctype html><title>Network</title>", type: "text/html"))
            try await origin.start()
            try await app.install(try app.shop("1.0.0"))
            try folder.write("<!doctype html><title>Bundle</title>", to: "late/index.html")
            let mappings = [origin.baseURL, "https://late.example"].map { #"{"url": "\#($0)/", "path": "/"}"# }
            try folder.write(
                #"{"name": "late", "version": "1.0.0", "origins": [\#(mappings.joined(separator: ","))]}"#,
                to: "late/bundle.json"
            )
            try await app.drive("--update-interval", "0") { browser in
                // This connection is passed on, and stays open.
                try await browser.navigate(to: origin.baseURL + "/")
                #expect(try await browser.execute("return document.title") == "Network")
                try await app.install(folder.path(of: "late"))
                try await Self.wait(for: "Bundle", at: origin.baseURL + "/", browser)
                origin.forgetRequests()
                try await browser.navigate(to: "https://late.example/")
                #expect(
                    try await browser.execute("return [location.origin, document.title, isSecureContext]")
                        == ["https://late.example", "Bundle", true]
                )
                // An update with another origin.
                try await app.install(try app.shop("1.1.0", origin: "https://moved.example"))
                try await Self.wait(for: "Pier Nine", at: "https://moved.example/shop/", browser)
                try await browser.navigate(to: origin.baseURL + "/")
                #expect(try await browser.execute("return document.title") == "Bundle")
            }
            #expect(origin.requestedPaths == [])
            await origin.stop()
            try await app.display.end()
        }
    }

    @Test("a page of a mapped origin has WebSockets, and each side sees the end of the other", .timeLimit(.minutes(5)))
    func webSockets() async throws {
        let received = Monitor<[WebSocketPeer.Message]>([])
        let ends = Monitor(0)
        try await withTalkingOrigin { peer in
            let socket = try await WebSocketPeer(accepting: peer)
            guard socket.request.statusLine.contains("/shop/socket") else { return }
            try await socket.send(.text("welcome \(socket.request["origin"] ?? "")"))
            while true {
                let message = try await socket.receive()
                received.update { $0.append(message) }
                if message == .text("end") {
                    try await socket.send(.close(4_002))
                    // The page's closing frame comes before the end of the connection (RFC 6455 §7.1.1).
                    return #expect(try await socket.receive() == .close(4_002))
                }
                if message == .text("wait") {
                    await socket.waitForEnd()
                    return ends.update { $0 += 1 }
                }
                try await socket.send(message)
                if case .close = message { return }
            }
        } _: { origin in
            try await withTemporaryDirectory { folder in
                let app = try await ShellApp(in: folder)
                try folder.write("<!doctype html><title>Talk</title>", to: "talk/index.html")
                let mapping = #"[{"url": "http://\#(origin.authority)/shop/", "path": "/"}]"#
                try folder.write(
                    #"{"name": "shop", "version": "1.0.0", "origins": \#(mapping)}"#,
                    to: "talk/bundle.json"
                )
                try await app.install(folder.path(of: "talk"))
                try await app.drive("--update-interval", "0") { browser in
                    try await browser.navigate(to: "http://\(origin.authority)/shop/")
                    #expect(
                        try await browser.execute(
                            Self.talk("['hello', new Uint8Array(1 << 20).fill(7)]", "close(4001)")
                        )
                            == [.string("welcome http://\(origin.authority)"), "hello", 1_048_576, 4_001, true]
                    )
                    #expect(
                        try await browser.execute(Self.talk("[]", "send('end')")).array?.suffix(2) == [4_002, true]
                    )
                    try await browser.execute(
                        """
                        window.socket = new WebSocket(`ws://${location.host}/shop/socket`);
                        await new Promise((resolve) => socket.onmessage = resolve);
                        socket.send('wait');
                        """
                    )
                    try await received.wait { $0.last == .text("wait") ? () : nil }
                    // The page goes, and its connections with it.
                    try await browser.navigate(to: "about:blank")
                    try await ends.wait { $0 == 1 ? () : nil }
                }
                try await app.display.end()
            }
        }
        #expect(
            received.state.prefix(3) == [.text("hello"), .binary(Array(repeating: 7, count: 1 << 20)), .close(4_001)]
        )
    }

    /// Sends messages, each when the one before has come back, then does the last thing; the messages and the end.
    private static func talk(_ messages: String, _ last: String) -> String {
        """
        return new Promise((resolve) => {
            const socket = new WebSocket(`ws://${location.host}/shop/socket`);
            const messages = \(messages);
            const received = [];
            socket.binaryType = 'arraybuffer';
            socket.onmessage = ({ data }) => {
                received.push(typeof data === 'string' ? data : data.byteLength);
                if (messages.length > 0) socket.send(messages.shift()); else socket.\(last);
            };
            socket.onclose = ({ code, wasClean }) => resolve([...received, code, wasClean]);
        });
        """
    }

    /// Opens an address until the shell has noticed a change of another process.
    private static func wait(for title: String, at url: String, _ browser: Browser) async throws {
        for _ in 0..<300 {
            // A page that can't be loaded is an error of WebDriver's.
            if (try? await browser.navigate(to: url)) != nil,
                try await browser.execute("return document.title") == .string(title)
            {
                return
            }
        }
        Issue.record("\(url) doesn't show \(title)")
    }
}
