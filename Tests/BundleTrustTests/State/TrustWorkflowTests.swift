import BundleModel
import Foundation
import Synchronization
import Testing

@testable import BundleTrust

@Suite("The order of TUF's requests")
struct TrustWorkflowTests {
    @Test("is roots, timestamp, snapshot, targets; without news it is the next root and the timestamp")
    func order() async throws {
        let repository = TestRepository()
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        #expect(
            try await server.refresh(device) == ["2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json"]
        )
        #expect(try await server.refresh(device) == ["2.root.json", "timestamp.json"])
        #expect(device.roles == ["root", "timestamp", "snapshot", "targets"])
    }

    @Test("fetches what has changed alone")
    func changes() async throws {
        var repository = TestRepository()
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        _ = try await server.refresh(device)
        repository.timestamp.version = 2
        try server.publish(repository)
        #expect(try await server.refresh(device) == ["2.root.json", "timestamp.json"])
        (repository.timestamp.version, repository.snapshot.version) = (3, 2)
        try server.publish(repository)
        #expect(try await server.refresh(device) == ["2.root.json", "timestamp.json", "2.snapshot.json"])
    }

    @Test(
        "keeps what was trusted before a document is missing, wrong or expired",
        arguments: ["missing", "wrong", "expired"]
    )
    func failure(_ kind: String) async throws {
        var repository = TestRepository()
        if kind == "expired" { repository.snapshot.expiry = TestRepository.past }
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        if kind == "missing" { server.remove("1.snapshot.json") }
        if kind == "wrong" { server.put(try repository.targetsDocument(), as: "1.snapshot.json") }
        let error = await #expect(throws: TrustError.self) { try await server.refresh(device) }
        #expect(error?.code == ["missing": .missing, "wrong": .tooFewSignatures, "expired": .expired][kind])
        #expect(device.roles == ["root", "timestamp"])
    }

    @Test("asks for nothing but roots while the root has expired")
    func expiredRoot() async throws {
        var repository = TestRepository()
        repository.root.expiry = TestRepository.past
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        let error = await #expect(throws: TrustError.self) { try await server.refresh(device) }
        #expect(error?.code == .expired)
        #expect(server.takeRequests() == ["2.root.json"])
    }

    @Test("drops timestamp and snapshot with the root that replaces their keys, also if the update ends then")
    func fastForward() async throws {
        var repository = TestRepository()
        (repository.timestamp.version, repository.snapshot.version) = (1_000, 1_000)
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        _ = try await server.refresh(device)
        repository.root.version = 2
        repository.timestamp = TestRepository.Role(.ed25519(81))
        (repository.snapshot.version, repository.snapshot.expiry) = (1, TestRepository.future)
        try server.publish(repository)
        server.remove("timestamp.json")
        await #expect(throws: TrustError.self) { try await server.refresh(device) }
        #expect(device.roles == ["root", "targets"])
        try server.publish(repository)
        _ = try await server.refresh(device)
        #expect(device.roles == ["root", "timestamp", "snapshot", "targets"])
    }

    @Test("follows so many roots in one update, and the rest in the next")
    func manyRoots() async throws {
        var repository = TestRepository()
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        for version in 2...(TrustLimits.rootRotationCount + 3) {
            repository.root.version = version
            try server.publish(repository)
        }
        for expected in [TrustLimits.rootRotationCount + 1, TrustLimits.rootRotationCount + 3] {
            var workflow = try TrustWorkflow(server, device, at: TestRepository.now)
            try await workflow.refresh()
            #expect(workflow.state.root.version == expected)
        }
    }

    @Test("verifies a kept document of a delegated role by the delegator that leads to it now")
    func delegated() async throws {
        var repository = TestRepository()
        var role = TestRepository.Delegated(name: "feed", role: TestRepository.Role(.ed25519(82)))
        role.targets = ["feed.json"]
        repository.delegated = [role]
        let (server, device) = (try MemoryServer(repository), try MemoryDevice(repository))
        let path = try TargetPath("feed.json")
        func find() async throws -> RoleName? {
            var workflow = try TrustWorkflow(server, device, at: TestRepository.now)
            try await workflow.refresh()
            return try await workflow.target(path)?.role
        }
        #expect(try await find()?.text == "feed")
        _ = server.takeRequests()
        #expect(try await find()?.text == "feed")
        #expect(server.takeRequests() == ["2.root.json", "timestamp.json"])
        // The delegator trusts another key now, and the document that is kept isn't signed by it.
        repository.delegated[0].role.keys = [.ed25519(83)]
        (repository.timestamp.version, repository.snapshot.version, repository.targets.version) = (2, 2, 2)
        try server.publish(repository)
        #expect(try await find()?.text == "feed")
        #expect(server.takeRequests().last == "1.feed.json")
        server.put(try device.document(of: .targets) ?? [], as: "1.feed.json")
        #expect(try await find()?.text == "feed")
    }

    @Test("begins with a root alone")
    func noRoot() throws {
        let (server, device) = (try MemoryServer(TestRepository()), MemoryDevice())
        let code = TrustFailure.code { _ = try TrustWorkflow(server, device, at: TestRepository.now) }
        #expect(code == .missing)
    }
}

/// A repository in memory, which remembers what it was asked for. Thread-safe.
private final class MemoryServer: MetadataRepository {
    private let documents = Mutex<[String: [UInt8]]>([:])
    private let requests = Mutex<[String]>([])

    init(_ repository: TestRepository) throws {
        try publish(repository)
    }

    /// Adds the documents of a repository's state.
    func publish(_ repository: TestRepository) throws {
        put(try repository.rootDocument(), as: "\(repository.root.version).root.json")
        put(try repository.timestampDocument(), as: "timestamp.json")
        put(try repository.snapshotDocument(), as: "\(repository.snapshot.version).snapshot.json")
        put(try repository.targetsDocument(), as: "\(repository.targets.version).targets.json")
        for role in repository.delegated {
            put(try repository.delegatedDocument(role.name), as: "\(role.role.version).\(role.name).json")
        }
    }

    func put(_ bytes: [UInt8], as name: String) { documents.withLock { $0[name] = bytes } }

    func remove(_ name: String) { _ = documents.withLock { $0.removeValue(forKey: name) } }

    /// What has been asked for since this was last called.
    func takeRequests() -> [String] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    func document(_ request: MetadataRequest) async throws -> [UInt8]? {
        requests.withLock { $0.append(request.fileName) }
        return documents.withLock { $0[request.fileName] }
    }

    /// An update of a device.
    ///
    /// - Returns: What it asked for.
    func refresh(_ device: MemoryDevice) async throws -> [String] {
        var workflow = try TrustWorkflow(self, device, at: TestRepository.now)
        try await workflow.refresh()
        return takeRequests()
    }
}

/// What a device keeps. Thread-safe.
private final class MemoryDevice: MetadataKeeper {
    private let documents = Mutex<[RoleName: [UInt8]]>([:])

    init() {}

    /// A device that has the root of a repository.
    init(_ repository: TestRepository) throws {
        let root = try repository.rootDocument()
        documents.withLock { $0[.root] = root }
    }

    /// The roles at the top of which a document is kept.
    var roles: [String] {
        documents.withLock { documents in
            [RoleName.root, .timestamp, .snapshot, .targets].filter { documents[$0] != nil }.map(\.text.string)
        }
    }

    func document(of role: RoleName) throws -> [UInt8]? { documents.withLock { $0[role] } }

    func keep(_ bytes: [UInt8], of role: RoleName, version: Int, dropping others: [RoleName]) throws {
        documents.withLock { documents in
            documents[role] = bytes
            for role in others { documents[role] = nil }
        }
    }
}
