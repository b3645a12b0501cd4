import BundleModel
import Testing

@testable import BundleTrust

struct TrustedStateTests {
    private let now = TestRepository.now

    @Test("an update asks for one document after the other, by their names in a consistent snapshot")
    func requests() throws {
        var repository = TestRepository()
        repository.snapshot.version = 7
        repository.targets.version = 9
        for isConsistent in [true, false] {
            repository.isConsistent = isConsistent
            var state = try repository.anchored()
            #expect(state.rootRequest?.fileName == "2.root.json")
            #expect(state.timestampRequest.fileName == "timestamp.json")
            #expect(state.snapshotRequest == nil)
            #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
            #expect(state.snapshotRequest?.fileName == (isConsistent ? "7.snapshot.json" : "snapshot.json"))
            #expect(state.targetsRequest == nil)
            try state.updateSnapshot(repository.snapshotDocument(), at: now)
            #expect(state.targetsRequest?.fileName == (isConsistent ? "9.targets.json" : "targets.json"))
            #expect(state.targetsRequest?.maximumByteCount == TrustLimits.targetsByteCount)
            try state.updateTargets(repository.targetsDocument(), at: now)
            #expect(state.targets?.targets.count == 1)
        }
    }

    @Test("no more is asked for than is signed")
    func lengths() throws {
        var repository = TestRepository()
        repository.hasHashes = true
        let state = try repository.trusted()
        #expect(state.snapshotRequest?.maximumByteCount == (try repository.snapshotDocument()).count)
        #expect(state.targetsRequest?.maximumByteCount == (try repository.targetsDocument()).count)
    }

    @Test("what comes before its turn is refused")
    func order() throws {
        let repository = TestRepository()
        var state = try repository.anchored()
        let snapshot = try repository.snapshotDocument()
        let targets = try repository.targetsDocument()
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == .outOfOrder)
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == .outOfOrder)
        #expect(TrustFailure.code { _ = try state.search(for: TargetPath("a"), at: now) } == .outOfOrder)
        try state.restoreTimestamp(repository.timestampDocument())
        try state.restoreSnapshot(snapshot)
        // What was trusted last isn't the latest yet.
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == .outOfOrder)
        #expect(TrustFailure.code(&state) { try $0.restoreSnapshot(snapshot) } == .outOfOrder)
    }

    @Test("a document of one role isn't taken for another, although the same keys sign both")
    func roles() throws {
        var repository = TestRepository()
        repository.timestamp = TestRepository.Role(.ed25519(2))
        (repository.snapshot, repository.targets) = (repository.timestamp, repository.timestamp)
        var state = try repository.anchored()
        let targets = try repository.targetsDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(targets, at: now) } == .wrongRole)
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(targets, at: now) } == .wrongRole)
        let snapshot = try repository.snapshotDocument()
        #expect(TrustFailure.code(&state) { try $0.updateRoot(snapshot) } == .tooFewSignatures)
    }

    @Test("a check without news keeps the timestamp and all below it")
    func noNews() throws {
        let repository = TestRepository()
        var state = try repository.trusted()
        #expect(try !state.updateTimestamp(repository.timestampDocument(), at: now))
        #expect(state.isSnapshotCurrent)
        #expect(state.targets != nil)
    }

    @Test("kept documents are trusted again without asking for them")
    func keptDocuments() throws {
        var repository = TestRepository()
        let (timestamp, snapshot) = (try repository.timestampDocument(), try repository.snapshotDocument())
        var state = try repository.anchored()
        try state.restoreTimestamp(timestamp)
        try state.restoreSnapshot(snapshot)
        repository.timestamp.version = 2
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
        try state.updateSnapshot(snapshot, at: now)
        try state.updateTargets(repository.targetsDocument(), at: now)
    }

    @Test("an anchor is the root with the digest that was given")
    func anchor() throws {
        let root = try TestRepository().rootDocument()
        #expect(throws: Never.self) { try TrustedState(anchor: root, digest: Digest(of: root)) }
        let other = Digest(of: root + [0])
        #expect(TrustFailure.code { _ = try TrustedState(anchor: root, digest: other) } == .wrongAnchor)
    }
}
