import Testing

@testable import BundleTrust

struct RollbackAttackTests {
    private let now = TestRepository.now

    private static func later() -> TestRepository {
        var repository = TestRepository()
        repository.timestamp.version = 5
        repository.snapshot.version = 5
        repository.targets.version = 5
        repository.delegated = [TestRepository.Delegated(name: "feed", role: TestRepository.Role(.ed25519(51)))]
        repository.delegated[0].role.version = 5
        return repository
    }

    /// What a device says that trusted `Self.later()`, in the same process and after a restart.
    private func code(_ change: (inout TestRepository) -> Void) throws -> [TrustError.Code?] {
        var repository = Self.later()
        let running = try repository.trusted()
        var restarted = try repository.anchored()
        try restarted.restoreTimestamp(repository.timestampDocument())
        try restarted.restoreSnapshot(repository.snapshotDocument())
        change(&repository)
        return [running, restarted].map { state in
            var state = state
            return TrustFailure.code { try repository.update(&state) }
        }
    }

    @Test("an older timestamp is refused")
    func timestamp() throws {
        #expect(try code { $0.timestamp.version = 4 } == [.rollback, .rollback])
    }

    @Test("a newer timestamp with an older snapshot is refused")
    func snapshot() throws {
        let codes = try code {
            $0.timestamp.version = 6
            $0.snapshot.version = 4
        }
        #expect(codes == [.rollback, .rollback])
    }

    @Test("a newer snapshot with older targets is refused")
    func targets() throws {
        let codes = try code {
            ($0.timestamp.version, $0.snapshot.version) = (6, 6)
            $0.targets.version = 4
        }
        #expect(codes == [.rollback, .rollback])
    }

    @Test("a newer snapshot with an older delegated role, or without it, is refused")
    func delegatedRole() throws {
        let codes = try code {
            ($0.timestamp.version, $0.snapshot.version) = (6, 6)
            $0.delegated[0].role.version = 4
        }
        #expect(codes == [.rollback, .rollback])
        let withoutRole = try code {
            ($0.timestamp.version, $0.snapshot.version) = (6, 6)
            $0.delegated = []
        }
        #expect(withoutRole == [.rollback, .rollback])
    }

    @Test("newer versions, and the same of what hasn't changed, are no rollback")
    func progress() throws {
        let codes = try code {
            ($0.timestamp.version, $0.snapshot.version, $0.targets.version) = (6, 6, 6)
            $0.otherDocuments = [#""new.json": {"version": 1}"#]
        }
        #expect(codes == [nil, nil])
        #expect(try code { $0.timestamp.version = 6 } == [nil, nil])
    }

    @Test(
        "after a fast-forward attack new keys of snapshot or timestamp let all versions begin again",
        arguments: [true, false]
    )
    func fastForwardRecovery(_ isTimestamp: Bool) throws {
        var attacked = TestRepository()
        (attacked.timestamp.version, attacked.snapshot.version) = (.max, .max)
        attacked.otherDocuments = [#""evil.json": {"version": 1}"#]
        attacked.targets.version = .max
        var restarted = try attacked.anchored()
        try restarted.restoreTimestamp(attacked.timestampDocument())
        try restarted.restoreSnapshot(attacked.snapshotDocument())
        for state in [try attacked.trusted(), restarted] {
            var state = state
            var recovered = TestRepository()
            recovered.root.version = 2
            if isTimestamp { recovered.timestamp.keys = [.p256(61)] } else { recovered.snapshot.keys = [.p256(62)] }
            try state.updateRoot(recovered.rootDocument())
            #expect(state.timestamp == nil)
            #expect(state.snapshot == nil)
            try recovered.update(&state)
            #expect(state.targets?.version == 1)
        }
    }

    @Test("a new root with the same keys under other names, or with new keys of targets, lets nothing begin again")
    func noRecovery() throws {
        var repository = Self.later()
        var state = try repository.trusted()
        repository.root.version = 2
        repository.timestamp.keys = [.ed25519(2, named: "other")]
        repository.targets.keys = [.p256(63)]
        try state.updateRoot(repository.rootDocument())
        repository.timestamp.version = 4
        let timestamp = try repository.timestampDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(timestamp, at: now) } == .rollback)
    }

    @Test("a timestamp that was kept counts for nothing when its key is no longer one")
    func keptTimestamp() throws {
        var repository = Self.later()
        let (timestamp, snapshot) = (try repository.timestampDocument(), try repository.snapshotDocument())
        (repository.timestamp.keys, repository.snapshot.keys) = ([.p256(61)], [.p256(62)])
        var state = try repository.anchored()
        #expect(TrustFailure.code(&state) { try $0.restoreTimestamp(timestamp) } == .tooFewSignatures)
        #expect(TrustFailure.code(&state) { try $0.restoreSnapshot(snapshot) } == .tooFewSignatures)
    }
}
