/// A request that is the same in every protocol.
struct ConformanceRequest: Sendable {
    var method = "GET"
    var target: String
    var fields: [(name: String, value: String)] = []

    /// The request in HTTP/1.1 (RFC 9112 §3).
    var head: String {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// The request in HTTP/2 (RFC 9113 §8.3.1).
    var fieldList: [(String, String)] {
        [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", target)]
            + fields.map { ($0.name.lowercased(), $0.value) }
    }
}
