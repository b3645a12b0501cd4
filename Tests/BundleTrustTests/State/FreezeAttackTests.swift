import Foundation
import Testing

@testable import BundleTrust

struct FreezeAttackTests {
    private let now = TestRepository.now

    @Test("a document of any role that has expired is refused")
    func expiry() throws {
        for role: WritableKeyPath<TestRepository, TestRepository.Role> in [\.root, \.timestamp, \.snapshot, \.targets] {
            var repository = TestRepository()
            repository[keyPath: role].expiry = TestRepository.past
            var state = try repository.anchored()
            #expect(TrustFailure.code { try repository.update(&state) } == .expired)
            // What lives on is trusted, and what doesn't isn't.
            #expect(state.timestamp.map { $0.expiry > now } != false)
            #expect(state.snapshot.map { $0.expiry > now } != false)
            #expect(state.targets == nil)
        }
    }

    @Test("a document has expired in the second that it names, and not before")
    func border() throws {
        var repository = TestRepository()
        repository.timestamp.expiry = "2026-01-01T00:00:00Z"
        let timestamp = try repository.timestampDocument()
        var state = try repository.anchored()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(timestamp, at: now) } == .expired)
        #expect(try state.updateTimestamp(timestamp, at: now.addingTimeInterval(-0.001)))
    }

    @Test("a timestamp that is repeated until it has expired is refused, and so is all below it")
    func repeatedTimestamp() throws {
        let repository = TestRepository()
        var state = try repository.trusted()
        let later = now.addingTimeInterval(10 * 365 * 86_400)
        let documents = (try repository.timestampDocument(), try repository.snapshotDocument())
        let targets = try repository.targetsDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(documents.0, at: later) } == .expired)
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(documents.1, at: later) } == .expired)
        #expect(TrustFailure.code(&state) { try $0.updateTargets(targets, at: later) } == .expired)
        #expect(TrustFailure.code { _ = try state.search(for: TargetPath("shop.zip"), at: later) } == .expired)
    }

    @Test("the version that is trusted takes a longer life once it has expired, and not before")
    func equalVersion() throws {
        var repository = TestRepository()
        repository.timestamp.expiry = TestRepository.past
        let expired = try repository.timestampDocument()
        repository.timestamp.expiry = TestRepository.future
        let living = try repository.timestampDocument()
        let before = now.addingTimeInterval(-86_400)
        for (time, isTaken) in [(before, false), (now, true)] {
            var state = try repository.anchored()
            try state.restoreTimestamp(expired)
            #expect(try state.updateTimestamp(living, at: time) == isTaken)
            #expect(state.timestamp?.expiry == (isTaken ? Date(timeIntervalSince1970: 1_893_456_000) : now - 1))
        }
        var state = try repository.anchored()
        try state.restoreTimestamp(expired)
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(expired, at: now) } == .expired)
    }

    @Test("a longer life brings no older snapshot, and leads to the present one with the checks of any timestamp")
    func equalVersionOfOtherSnapshots() throws {
        var repository = TestRepository()
        repository.hasHashes = true
        repository.timestamp.expiry = TestRepository.past
        repository.snapshot.version = 5
        let (expired, snapshot) = (try repository.timestampDocument(), try repository.snapshotDocument())
        repository.timestamp.expiry = TestRepository.future
        repository.snapshot.version = 4
        var state = try repository.anchored()
        try state.restoreTimestamp(expired)
        try state.restoreSnapshot(snapshot)
        let older = try repository.timestampDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(older, at: now) } == .rollback)
        #expect(state.timestamp?.snapshot.version == 5)
        // As a stick has it: the same version, and other bytes.
        (repository.snapshot.version, repository.snapshot.expiry) = (5, "2029-01-01T00:00:00Z")
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
        #expect(TrustFailure.code(&state) { try $0.updateSnapshot(snapshot, at: now) } == .contentMismatch)
        try state.updateSnapshot(repository.snapshotDocument(), at: now)
    }

    @Test("a timestamp and a snapshot that were kept bound what comes, also after they have expired")
    func keptDocuments() throws {
        var repository = TestRepository()
        (repository.timestamp.version, repository.timestamp.expiry) = (5, TestRepository.past)
        (repository.snapshot.version, repository.snapshot.expiry) = (5, TestRepository.past)
        var state = try repository.anchored()
        try state.restoreTimestamp(repository.timestampDocument())
        try state.restoreSnapshot(repository.snapshotDocument())
        (repository.timestamp.version, repository.timestamp.expiry) = (4, TestRepository.future)
        let older = try repository.timestampDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(older, at: now) } == .rollback)
    }
}
