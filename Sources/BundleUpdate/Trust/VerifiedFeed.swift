import BundleStore
import BundleTrust
import Foundation

/// A feed that was fetched with what its publisher has signed, in the order of TUF's workflow, and verified. Nothing of it was parsed. A
/// value type; safe to share between threads.
struct VerifiedFeed: Sendable {
    /// What the target is called that is the feed.
    static let path = "feed.json"

    /// The feed.
    let bytes: [UInt8]
    /// Where it came from, after redirects.
    let location: URL
    /// What the documents say.
    let state: TrustedState
    /// What may be installed.
    let targets: TargetsContent

    /// Fetches a feed.
    ///
    /// - Parameters:
    ///   - url: The feed's URL.
    ///   - document: Fetches the feed.
    ///   - repository: Where its documents come from.
    ///   - keeper: Where those are kept.
    ///   - now: The time by the device's clock.
    ///   - version: The version that the root has to have at least.
    ///   - copy: The feed as it was kept, from the same URL; it isn't fetched again where it is the signed one.
    /// - Throws: `TrustError`; ``/BundleModel/BundleError`` as ``OriginDocument/document(at:conditions:limit:)`` does; what `keeper` throws.
    init(
        at url: URL,
        _ document: OriginDocument,
        _ repository: any MetadataRepository,
        _ keeper: any MetadataKeeper,
        at now: Date,
        root version: Int = 1,
        unless copy: FeedCopy? = nil
    ) async throws {
        var workflow = try TrustWorkflow(repository, keeper, at: now)
        try await workflow.refresh()
        guard workflow.state.root.version >= version else {
            throw TrustError(
                .missing,
                RoleName.root.fileName(version: version),
                "is the root that this program has, and isn't there"
            )
        }
        let path = try TargetPath(Self.path)
        guard let targets = workflow.state.targets, let (target, _) = try await workflow.target(path) else {
            throw TrustError(.missing, Self.path, "isn't among what the publisher has signed")
        }
        (state, self.targets) = (workflow.state, targets)
        if let copy, (try? target.file.verify(copy.content, named: Self.path)) != nil {
            (bytes, location) = (copy.content, url)
            return
        }
        let isConsistent = state.root.isConsistentSnapshot
        if let copy = try await Self.copy(of: target, path, beside: url, document, isConsistent: isConsistent) {
            (bytes, location) = copy
        } else {
            (bytes, location) = try await Self.content(at: url, document)
        }
        try target.file.verify(bytes, named: Self.path)
    }

    /// The copy of the feed whose name begins with its digest, in a repository with consistent snapshots (6.2). The feed's own file is
    /// replaced in place: a cache may have an earlier one, or a publication be under way, while the timestamp leads to another.
    ///
    /// - Returns: Nil where there is none.
    private static func copy(
        of target: SignedTarget,
        _ path: TargetPath,
        beside url: URL,
        _ document: OriginDocument,
        isConsistent: Bool
    ) async throws -> (bytes: [UInt8], location: URL)? {
        guard isConsistent, let name = try? target.filePath(path, isConsistentSnapshot: true),
            let copy = URL(string: name, relativeTo: url)?.absoluteURL
        else { return nil }
        do {
            let (bytes, location) = try await content(at: copy, document)
            // What it names is beside the feed.
            return (bytes, location == copy ? url : location)
        } catch let error as BundleError where error.isAbsence {
            return nil
        }
    }

    private static func content(
        at url: URL,
        _ document: OriginDocument
    ) async throws -> (bytes: [UInt8], location: URL) {
        let (response, location) = try await document.document(at: url, limit: Feed.maximumByteCount)
        guard case .content(let bytes, _) = response else { throw TrustError(.missing, path, "has no content") }
        return (bytes, location)
    }

    /// Runs `body`, and once more when something has been published, or another process has read it, in between.
    static func retrying<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch  where mayPass(error) {
            return try await body()
        }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as TrustError: [.contentMismatch, .tooLarge, .wrongVersion].contains(error.code)
        case let error as BundleError: error.code == .storeBusy
        default: false
        }
    }
}
