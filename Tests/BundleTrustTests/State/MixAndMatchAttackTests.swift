import Testing

@testable import BundleTrust

struct MixAndMatchAttackTests {
    private let now = TestRepository.now

    private static func pair(hasHashes: Bool) -> (first: TestRepository, second: TestRepository) {
        var first = TestRepository()
        first.hasHashes = hasHashes
        // Signatures of ECDSA have several lengths.
        first.targets.keys = [.ed25519(4)]
        var second = first
        (second.timestamp.version, second.snapshot.version, second.targets.version) = (2, 2, 2)
        return (first, second)
    }

    @Test(
        "documents of two states are refused, by the hash or the version",
        arguments: [(true, .contentMismatch), (false, .wrongVersion)] as [(Bool, TrustError.Code)]
    )
    func states(_ hasHashes: Bool, _ code: TrustError.Code) throws {
        let (first, second) = Self.pair(hasHashes: hasHashes)
        var state = try second.anchored()
        #expect(try state.updateTimestamp(second.timestampDocument(), at: now))
        let snapshot = try first.snapshotDocument()
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == code)
        try state.updateSnapshot(second.snapshotDocument(), at: now)
        let targets = try first.targetsDocument()
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == code)
        try state.updateTargets(second.targetsDocument(), at: now)
    }

    @Test("another document of the same version is refused by its hash")
    func sameVersion() throws {
        let (first, _) = Self.pair(hasHashes: true)
        var other = first
        other.files = ["shut.zip"]
        var state = try first.anchored()
        #expect(try state.updateTimestamp(first.timestampDocument(), at: now))
        let snapshot = try other.snapshotDocument()
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == .contentMismatch)
        try state.updateSnapshot(first.snapshotDocument(), at: now)
        let targets = try other.targetsDocument()
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == .contentMismatch)
    }

    @Test("endless data after a document is refused by the length that is signed")
    func endlessData() throws {
        let (first, _) = Self.pair(hasHashes: true)
        var state = try first.anchored()
        #expect(try state.updateTimestamp(first.timestampDocument(), at: now))
        let snapshot = try first.snapshotDocument() + [0x20]
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == .tooLarge)
    }

    @Test("without a length no more is read than the limit of the role")
    func oversizedData() throws {
        let (first, _) = Self.pair(hasHashes: false)
        func padded(_ bytes: [UInt8], _ limit: Int) -> [UInt8] { bytes + [UInt8](repeating: 0x20, count: limit) }
        var state = try first.anchored()
        let root = padded(try first.rootDocument(), TrustLimits.rootByteCount)
        #expect(TrustFailure.code(&state) { try $0.updateRoot(root) } == .tooLarge)
        let timestamp = padded(try first.timestampDocument(), TrustLimits.timestampByteCount)
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(timestamp, at: now) } == .tooLarge)
        #expect(try state.updateTimestamp(first.timestampDocument(), at: now))
        let snapshot = padded(try first.snapshotDocument(), TrustLimits.snapshotByteCount)
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == .tooLarge)
        try state.updateSnapshot(first.snapshotDocument(), at: now)
        let targets = padded(try first.targetsDocument(), TrustLimits.targetsByteCount)
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == .tooLarge)
    }

    @Test("targets that the snapshot doesn't list are refused")
    func unlistedTargets() throws {
        let repository = TestRepository()
        let signed = try repository.signedSnapshot.replacing("targets.json", with: "other.json")
        var state = try repository.anchored()
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
        try state.updateSnapshot(TestRepository.document(signed, by: repository.snapshot.keys), at: now)
        #expect(state.targetsRequest == nil)
        let targets = try repository.targetsDocument()
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: now) } == .unlistedRole)
    }
}
