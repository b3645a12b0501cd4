import BundleInstall
import BundleStore
import Foundation
import HTTPCore

extension Updater {
    /// Installs the highest release that a feed offers, and makes the updates of its bundle follow that feed from now on,
    /// and not the feed that its manifest names. What is offered to whom is decided as for an update. A bundle that has a release
    /// already is updated, and stays as it is when there is nothing to update to.
    ///
    /// - Parameters:
    ///   - url: The feed's URL, which an operator names.
    ///   - channel: The channel to follow; nil for the bundle's, and that of manifests, `stable`, for a new one.
    ///   - root: SHA-256 of the publisher's first root, by which the feed has to be trusted; nil for the root by which the bundle is
    ///     trusted already. Where that is none, a feed that says that it is signed is trusted by the root that is there.
    ///   - options: As for ``update(_:feed:options:progress:)``.
    ///   - progress: As for ``update(_:feed:options:progress:)``.
    /// - Throws: As ``update(_:feed:options:progress:)``; ``/BundleModel/BundleError`` with code `invalidArgument`
    ///   also when the URL leads to something else than a feed, or the feed offers nothing that can be installed; `untrusted` when
    ///   the feed isn't signed as it must be.
    public func install(
        feed url: URL,
        channel: String? = nil,
        root: Digest? = nil,
        options: InstallOptions = InstallOptions(),
        progress: @escaping @Sendable (ByteProgress) -> Void = { _ in }
    ) async throws -> InstallReport {
        let source = FeedSource(
            store: store,
            document: try document(of: url),
            requiresTrust: configuration.requiresTrust,
            roots: configuration.roots
        )
        let received = try await source.first(at: url, root: root)
        let name = received.feed.name
        let lock = try await lock(name, waits: options.waits)
        defer { withExtendedLifetime(lock) {} }
        let check = try evaluation.check(received, from: url.absoluteString, channel: channel, permitsNew: true)
        let earlier = try followed(name)
        var report = try await install(check, from: url, options, progress)
        try pin(received.trust, name)
        SignedReleases(store: store).record(received.feed, by: received.trust)
        report.warnings += received.trust?.firstUseWarning.map { [$0] } ?? []
        if let earlier, earlier != url.absoluteString {
            report.warnings.append(
                "updates of \(name) follow \(url.reported) from now on, and not \(URL.reported(earlier)) any more"
            )
        }
        try store.choose(choice(of: url, channel, for: name), for: name)
        try? store.recordCheck(of: name, failure: nil)
        return report
    }

    /// Reads a signed feed as a device does that sees it for the first time, and installs nothing. The feed is trusted in this updater's
    /// store from then on, which should be one that is thrown away.
    ///
    /// - Parameters:
    ///   - url: The feed's URL, which an operator names.
    ///   - root: SHA-256 of the publisher's first root; nil for the one that is there.
    /// - Returns: Who has signed the feed, and until when.
    /// - Throws: ``/BundleModel/BundleError`` as ``install(feed:channel:root:options:progress:)`` does for the feed: with code `untrusted`
    ///   when it isn't signed, or a device would refuse it.
    package func inspect(feed url: URL, root: Digest? = nil) async throws -> TrustReport {
        let source = FeedSource(store: store, document: try document(of: url), requiresTrust: true)
        let received = try await source.first(at: url, root: root)
        try received.trust?.pin(received.feed.name, in: store)
        guard let report = try TrustReport(of: received.feed.name, in: store) else {
            throw BundleError(.invalidFeed, "\(url.reported) isn't signed")
        }
        return report
    }

    private func install(
        _ check: UpdateCheck,
        from url: URL,
        _ options: InstallOptions,
        _ progress: @escaping @Sendable (ByteProgress) -> Void
    ) async throws -> InstallReport {
        let bundle = store.snapshot.bundles[check.name]
        guard let release = check.available else {
            if let problem = check.problem { throw problem }
            guard let active = bundle?.active else { throw nothing(at: url, check) }
            return InstallReport(present: active, .unchanged)
        }
        // Whose feed it is, is only known once its release is here.
        let isFollowed = try followed(check.name) == url.absoluteString
        return try await installation(of: release, by: check, isFollowed: isFollowed, mode: .now, options, progress)
            .run().report
    }

    /// The URL of the feed that a bundle's updates follow; nil for none.
    private func followed(_ name: BundleName) throws -> String? {
        try store.updateState(of: name)?.chosenFeed?.url ?? store.snapshot.bundles[name]?.current?.manifest.feed
    }

    /// Nil when the manifest says the same.
    private func choice(of url: URL, _ channel: String?, for name: BundleName) -> ChosenFeed? {
        let manifest = store.snapshot.bundles[name]?.current?.manifest
        let isSame = manifest?.feed == url.absoluteString && (channel ?? manifest?.channel) == manifest?.channel
        return isSame ? nil : ChosenFeed(url: url.absoluteString, channel: channel)
    }

    private func nothing(at url: URL, _ check: UpdateCheck) -> BundleError {
        let reasons = check.decision.candidates.prefix(3).compactMap { candidate in
            candidate.rejection.map { "\(candidate.release.version) is no choice (\($0))" }
        }
        let reason = reasons.isEmpty ? "it offers no release" : reasons.joined(separator: "; ")
        return BundleError(
            .invalidArgument,
            "nothing of \(url.reported), the feed of \(check.name), can be installed: \(reason)"
        )
    }
}
