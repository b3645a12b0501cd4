import Testing

@testable import BundleTrust

struct RootRotationTests {
    private let now = TestRepository.now

    @Test("a new root is signed by the keys of the one before and by its own")
    func rotation() throws {
        var repository = TestRepository()
        let state = try repository.anchored()
        let old = repository.root.keys
        repository.root.version = 2
        repository.root.keys = [.ed25519(21)]
        let documents: [([TestKey], TrustError.Code?)] = [
            (old, .tooFewSignatures), ([.ed25519(21)], .tooFewSignatures), ([.ed25519(22)], .tooFewSignatures),
            (old + [.ed25519(21)], nil), ([.ed25519(22), .ed25519(21)] + old, nil),
        ]
        for (keys, code) in documents {
            let bytes = try TestRepository.document(repository.signedRoot, by: keys)
            var changed = state
            #expect(TrustFailure.code(&changed) { try $0.updateRoot(bytes) } == code)
        }
    }

    @Test("both thresholds are met, the old one and the new one")
    func thresholds() throws {
        let keys = (31...35).map { TestKey.ed25519($0) }
        var repository = TestRepository()
        (repository.root.keys, repository.root.threshold) = (Array(keys[0..<3]), 2)
        let state = try repository.anchored()
        repository.root.version = 2
        (repository.root.keys, repository.root.threshold) = (Array(keys[2..<5]), 3)
        for (signers, code) in [
            ([0, 2, 3, 4], nil), ([2, 3, 4], .tooFewSignatures), ([0, 1, 2, 3], .tooFewSignatures),
        ] as [([Int], TrustError.Code?)] {
            let bytes = try TestRepository.document(repository.signedRoot, by: signers.map { keys[$0] })
            var changed = state
            #expect(TrustFailure.code(&changed) { try $0.updateRoot(bytes) } == code)
        }
    }

    @Test(
        "a root of any version but the next is refused",
        arguments: [
            (1, .rollback), (4, .rollback), (5, .rollback), (7, .wrongVersion), (.max, .wrongVersion), (6, nil),
        ] as [(Int, TrustError.Code?)]
    )
    func versions(_ version: Int, _ code: TrustError.Code?) throws {
        var repository = TestRepository()
        repository.root.version = 5
        var state = try repository.anchored()
        repository.root.version = version
        let bytes = try repository.rootDocument()
        #expect(TrustFailure.code(&state) { try $0.updateRoot(bytes) } == code)
    }

    @Test("after the highest version there is no next one")
    func highestVersion() throws {
        var repository = TestRepository()
        repository.root.version = .max
        #expect(try repository.anchored().rootRequest == nil)
    }

    @Test("256 roots, each with another key, lead from the first to the last one, and none can be left out")
    func manyRotations() throws {
        var repository = TestRepository()
        var state = try repository.anchored()
        for version in 2...(TrustLimits.rootRotationCount + 1) {
            let old = repository.root.keys
            repository.root.version = version
            repository.root.keys = [.ed25519(UInt8(version % 251))]
            let bytes = try repository.rootDocument(alsoBy: old)
            if version > 2 {
                var behind = try TestRepository().anchored()
                #expect(TrustFailure.code(&behind) { try $0.updateRoot(bytes) } == .tooFewSignatures)
            }
            #expect(state.rootRequest?.fileName == "\(version).root.json")
            try state.updateRoot(bytes)
        }
        #expect(state.root.version == 257)
        try repository.update(&state)
    }

    @Test("a root that has expired leads to the next one, and to nothing else")
    func expiredRoots() throws {
        var repository = TestRepository()
        repository.root.expiry = TestRepository.past
        var state = try repository.anchored()
        repository.root.version = 2
        try state.updateRoot(repository.rootDocument())
        let timestamp = try repository.timestampDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(timestamp, at: now) } == .expired)
        repository.root.version = 3
        repository.root.expiry = TestRepository.future
        try state.updateRoot(repository.rootDocument())
        try repository.update(&state)
    }

    @Test("a key of targets that the new root no longer has vouches for nothing")
    func revokedTargets() throws {
        var repository = TestRepository()
        var state = try repository.trusted()
        let stolen = try repository.targetsDocument()
        repository.root.version = 2
        repository.targets.keys = [.ed25519(41)]
        try state.updateRoot(repository.rootDocument())
        #expect(state.targets == nil)
        #expect(state.timestamp != nil)
        repository.timestamp.version = 2
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
        try state.updateSnapshot(repository.snapshotDocument(), at: now)
        #expect(TrustFailure.code(&state) { try $0.updateTargets(stolen, at: now) } == .tooFewSignatures)
        try state.updateTargets(repository.targetsDocument(), at: now)
    }
}
