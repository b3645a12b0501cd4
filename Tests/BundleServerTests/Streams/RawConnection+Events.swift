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
}
