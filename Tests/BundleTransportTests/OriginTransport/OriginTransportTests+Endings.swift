import Testing

/// Exchanges that end early, or have no end.
extension OriginTransportTests {
    @Test(
        "gives a silent origin up, before the head and in the body",
        arguments: TransportKind.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"]
    )
    func silence(_ kind: TransportKind, _ sent: String) async throws {
        let (limit, none) = (Duration.milliseconds(50), Duration.seconds(30))
        let isBefore = sent.isEmpty
        try await kind.withTransport(firstByte: isBefore ? limit : none, silence: isBefore ? none : limit) {
            try await $0.expectSilence(after: sent, limit: "0.05")
        }
    }

    @Test("lets an event stream be silent", arguments: TransportKind.allCases)
    func events(_ kind: TransportKind) async throws {
        try await kind.withTransport(silence: .nanoseconds(1)) { try await $0.expectEvents(of: "text/event-stream") }
    }

    @Test(
        "ends a cancelled task with CancellationError, and its connection with it",
        arguments: TransportKind.allCases,
        ["", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc"]
    )
    func cancellation(_ kind: TransportKind, _ sent: String) async throws {
        try await kind.withTransport { try await $0.expectCancellation(after: sent) }
    }

    @Test("ends the exchange when nobody reads the response", arguments: TransportKind.allCases)
    func dropped(_ kind: TransportKind) async throws {
        try await kind.withTransport { try await $0.expectEndOfUnread("Transfer-Encoding: chunked") }
    }
}
