import BundleModel
import Foundation
import Testing

@testable import BundleTrust

/// A repository that python-tuf 7.0.0 made, with keys of all kinds: three of three sign the root, RSA the timestamp, ECDSA the
/// snapshot, and Ed25519 the targets, which delegate `feed.json` to a role of another key.
enum PythonRepository {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "PythonRepository")

    static func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    static func document(_ name: String) throws -> JSONElement {
        try JSONElement(parsing: bytes(of: name), named: name, maximumByteCount: .max, refusedAs: .invalidFeed)
    }
}

struct PythonRepositoryTests {
    private func file(_ name: String) throws -> [UInt8] { try PythonRepository.bytes(of: name) }

    private func trusted() throws -> TrustedState {
        var state = try TrustedState(anchor: file("1.root.json"))
        #expect(try state.updateTimestamp(file(state.timestampRequest.fileName), at: TestRepository.now))
        try state.updateSnapshot(file(#require(state.snapshotRequest).fileName), at: TestRepository.now)
        try state.updateTargets(file(#require(state.targetsRequest).fileName), at: TestRepository.now)
        return state
    }

    @Test("all documents are trusted, and a target is found with what the publisher says of it")
    func target() throws {
        let path = try TargetPath("shop-1.0.0.zip")
        let search = try trusted().search(for: path, at: TestRepository.now)
        guard case .found(let target, .targets) = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
        try target.file.verify(Array("hello\n".utf8), named: "shop-1.0.0.zip")
        let custom = try TestRepository.json(#"{"name": "shop", "version": "1.0.0"}"#)
        #expect(target.custom == custom)
        let hash = Digest(of: Array("hello\n".utf8)).hex
        #expect(try target.filePath(path, isConsistentSnapshot: true) == "\(hash).shop-1.0.0.zip")
    }

    @Test("a delegated role is asked for, and vouches for its path")
    func delegatedRole() throws {
        var search = try trusted().search(for: TargetPath("feed.json"), at: TestRepository.now)
        guard case .needs(let request) = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
        #expect(request.fileName == "1.feed.json")
        try search.supply(file(request.fileName))
        guard case .found(let target, let role) = search.progress else {
            Issue.record("\(search.progress)")
            return
        }
        #expect(role == RoleName(delegated: "feed"))
        try target.file.verify(Array("{}\n".utf8), named: "feed.json")
    }

    @Test("a changed signature of any kind of key is none")
    func signatures() throws {
        let root = String(decoding: try file("1.root.json"), as: UTF8.self)
        var count = 0
        for match in root.matches(of: /"sig": "([0-9a-f]+)"/) {
            // The last digits of each signature, where they are a part of a number.
            let changed = match.1.dropLast(4) + (match.1.hasSuffix("0000") ? "1111" : "0000")
            let bytes = Array(root.replacing(match.1, with: changed).utf8)
            #expect(TrustFailure.code { _ = try TrustedState(anchor: bytes) } == .tooFewSignatures)
            count += 1
        }
        #expect(count == 3)
    }
}
