#if os(Linux)
    import Testing

    @testable import ServerCore

    @Suite("A loop's connection")
    struct LoopConnectionTests {
        @Test("doesn't extend the time of a head when more of it arrives, and gives the next one its own")
        func headTime() throws {
            let connection = try connection(at: 1)
            #expect(connection.phase == .idle)
            #expect(connection.phaseStart == 1)
            connection.received = [1]
            connection.waitForRequest(hasResponded: false, at: 2)
            #expect(connection.phase == .receiving)
            connection.received = [1, 2]
            connection.waitForRequest(hasResponded: false, at: 3)
            #expect(connection.phaseStart == 2)
            connection.waitForRequest(hasResponded: true, at: 4)
            #expect(connection.phaseStart == 4)
            connection.received = []
            connection.waitForRequest(hasResponded: true, at: 5)
            #expect(connection.phase == .idle)
            #expect(connection.phaseStart == 5)
        }

        private func connection(at now: Int64) throws -> LoopConnection {
            let limiter = AddressLimiter.connections(ServerLimits(), metrics: nil)
            return LoopConnection(-1, permit: try #require(limiter.acquire(for: nil)), now: now)
        }
    }
#endif
