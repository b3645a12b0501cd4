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

    @Test("the version that is trusted, kept after it has expired, is refused again with a signature of today")
    func equalVersion() throws {
        var repository = TestRepository()
        repository.timestamp.expiry = TestRepository.past
        var state = try repository.anchored()
        try state.restoreTimestamp(repository.timestampDocument())
        repository.timestamp.expiry = TestRepository.future
        let again = try repository.timestampDocument()
        #expect(TrustFailure.code(&state) { _ = try $0.updateTimestamp(again, at: now) } == .expired)
        repository.timestamp.version = 2
        #expect(try state.updateTimestamp(repository.timestampDocument(), at: now))
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
