import BundleTesting

/// Event streams (WHATWG HTML, “Server-sent events”).
extension RawConnection {
    /// The next chunk of a response (RFC 9112 §7.1).
    func chunk() async throws -> String {
        let size = Int(try await line(), radix: 16) ?? 0
        let text = String(decoding: try await bytes(size), as: UTF8.self)
        _ = try await line()
        return text
    }

    /// The next event with data.
    func event() async throws -> String {
        while true {
            let text = try await chunk()
            guard !text.isEmpty else { return "" }
            if text.contains("data: ") { return text }
        }
    }

    /// The next event with data, while a clock is moved on, up to eight times. A single move is missed by a task that has looked
    /// already and is about to sleep, from then on.
    func event(moving clock: TestClock, by step: Duration) async throws -> String {
        let moves = Task { for _ in 1...8 { try await clock.step(by: step) } }
        defer { moves.cancel() }
        return try await event()
    }
}
