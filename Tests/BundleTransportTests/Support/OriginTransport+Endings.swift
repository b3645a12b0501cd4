import BundleModel
import BundleNetwork
import BundleServing
import BundleTesting
import Testing

/// How exchanges end that the origin doesn't end, on any transport.
extension OriginTransport {
    /// Expects that an origin that is silent after a text is given up, and its connection with it.
    ///
    /// - Parameter limit: How long it may be silent, in seconds, as the error says it.
    func expectSilence(after text: String, limit: String) async throws {
        try await withSilentOrigin(text) { origin in
            let error = await #expect(throws: BundleError.self) { try await send(origin.call()).body.all() }
            #expect(error?.code == .networkUnavailable)
            #expect(error?.message.contains("no data for \(limit) seconds") == true, "\(error?.message ?? "")")
            try await origin.waitForEnds()
        }
    }

    /// Expects that a task that is cancelled when a text has arrived ends with `CancellationError`, and its connection with
    /// it.
    func expectCancellation(after text: String) async throws {
        let latch = Latch()
        try await withSilentOrigin(text, onSent: latch) { origin in
            let task = Task { try await send(origin.call()).body.all() }
            try await latch.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await origin.waitForEnds()
        }
    }

    /// Expects that the connection ends when nobody reads the response.
    ///
    /// - Parameter field: Says how long the body is.
    func expectEndOfUnread(_ field: String) async throws {
        try await withSilentOrigin("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n") { origin in
            _ = try await send(origin.call())
            try await origin.waitForEnds()
        }
    }

    /// Expects that events arrive one by one, however long the origin is silent between them.
    func expectEvents(of mediaType: String) async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Type: \(mediaType)\r\n\r\ndata: 1\n\n")
            try await latch.wait()
            try await peer.send("data: 2\n\n")
        } _: { origin in
            let response = try await send(origin.call())
            var events = response.body.makeAsyncIterator()
            #expect(try await events.next() == Array("data: 1\n\n".utf8))
            latch.open()
            #expect(try await events.next() == Array("data: 2\n\n".utf8))
            #expect(try await events.next() == nil)
        }
    }
}

/// Lends an origin that sends a text after the head of each request, and nothing more.
///
/// - Parameter latch: Opened when the text has been sent.
private func withSilentOrigin(
    _ text: String,
    onSent latch: Latch = Latch(),
    _ body: (TalkingOrigin) async throws -> Void
) async throws {
    try await withTalkingOrigin { peer in
        _ = try await peer.head()
        try await peer.send(text)
        latch.open()
        await peer.waitForEnd()
    } _: { origin in
        try await body(origin)
    }
}
