import Testing

/// Runs the servers for as long as a suite's tests run.
struct ConformanceTrait: SuiteTrait, TestScoping {
    let configure: ConformanceServer.Configure

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ConformanceServers.run(configure, function)
    }
}

extension Trait where Self == ConformanceTrait {
    /// Servers that a suite's tests have in common.
    static func conformanceServers(
        _ configure: @escaping ConformanceServer.Configure = { _ in }
    ) -> ConformanceTrait {
        ConformanceTrait(configure: configure)
    }
}
