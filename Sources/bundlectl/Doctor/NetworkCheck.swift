import BundleNetwork
import BundleServing
import BundleStore
import BundleTransport
import BundleUpdate
import Foundation
import HTTPTypes

/// What asking feeds and origins has told. Pure.
enum NetworkCheck {
    static func finding(_ target: NetworkTarget, _ outcome: NetworkProbe.Outcome) -> Finding {
        let name = "\(target.kind.rawValue) \(Printable.text(target.url.absoluteString))"
        switch outcome {
        case .response(let status, _): return response(target.kind, name, status)
        case .file(nil): return Finding(.ok, .network, "\(name) is there")
        case .file(let obstacle?):
            // A stick is connected when there is something new on it.
            return Finding(.warning, .network, "\(name): \(obstacle.problem)", remedy: "connect its medium")
        case .failure(let error):
            if let (problem, remedy) = error.certificateFault.map(explanation) {
                return Finding(state(target.kind), .network, "\(name): its certificate \(problem)", remedy: remedy)
            }
            return Finding(
                state(target.kind),
                .network,
                "\(name): \(error.problem)",
                remedy: error.remedy.map(Advice.text)
            )
        }
    }

    /// What is said of those that aren't asked.
    static func rest(_ count: Int) -> [Finding] {
        count > 0 ? [Finding(.warning, .network, "\(count) more feeds and origins weren't asked")] : []
    }

    /// By how many seconds this machine's clock is ahead of each host that has told its time.
    static func offsets(_ results: [(NetworkTarget, NetworkProbe.Outcome)]) -> [(host: String, seconds: TimeInterval)] {
        results.compactMap { target, outcome in
            guard case .response(_, let offset?) = outcome else { return nil }
            return (target.url.host() ?? "", offset)
        }
    }

    /// Without a feed there are no updates; what an origin lacks is in the bundle or the cache.
    private static func state(_ kind: NetworkTarget.Kind) -> Finding.State { kind == .feed ? .error : .warning }

    private static func response(_ kind: NetworkTarget.Kind, _ name: String, _ status: Int) -> Finding {
        switch (kind, status) {
        case (_, 500...):
            Finding(
                state(kind),
                .network,
                "\(name) responds with \(status)",
                remedy: "look at its server, or try again later"
            )
        case (.feed, 401):
            Finding(
                .error,
                .network,
                "\(name) responds with \(status)",
                remedy: Advice.text(.giveFeedCredential)
            )
        case (.feed, 400...):
            Finding(
                .error,
                .network,
                "\(name) responds with \(status)",
                remedy: "correct it in the manifest, or name another: “bundlectl install FEED_URL”"
            )
        default: Finding(.ok, .network, "\(name) responds with \(status)")
        }
    }

    private static func explanation(of fault: CertificateFault) -> (String, String) {
        switch fault {
        case .expired(let date):
            ("has expired, \(Timestamp.text(date))", "have it renewed there, and look at the clock of this machine")
        case .notYetValid(let date):
            ("isn't valid before \(Timestamp.text(date))", "set the clock of this machine: “timedatectl set-ntp true”")
        case .otherName:
            ("is for another host", "correct the address, or have the host's own certificate installed there")
        // The program pins no keys.
        case .otherKey: ("has a key that isn't pinned", "pin the key of its new certificate")
        case .unknownIssuer(let issuer):
            (
                "has an issuer that this machine doesn't trust" + (issuer.map { ": \($0)" } ?? ""),
                "if the issuer is your organisation's, name its certificate with --ca-certificate, or add it to the system's: "
                    + "/usr/local/share/ca-certificates and “update-ca-certificates”"
            )
        }
    }
}

/// What a bundle asks over the network: a feed, or an origin.
struct NetworkTarget: Hashable, Sendable {
    /// How many are asked; of the others the number is told.
    static let maximumCount = 64

    /// What the address is of.
    enum Kind: String, Sendable {
        case feed, origin
    }

    let kind: Kind
    let url: URL

    /// The bundles' feeds and origins, each once, in the order of the bundles' names. Pure.
    ///
    /// - Parameter chosen: The feed that a bundle follows in place of its manifest's.
    static func all(of snapshot: StoreSnapshot, chosen: (BundleName) -> String?) -> [NetworkTarget] {
        var seen = Set<NetworkTarget>()
        return snapshot.sortedBundles.flatMap { bundle in
            let manifest = bundle.current?.manifest
            let feed = (chosen(bundle.name) ?? manifest?.feed).flatMap(URL.init(string:)).map { [$0] } ?? []
            // Each host once: its mappings differ in paths.
            let origins = (manifest?.origins ?? []).compactMap {
                URL(string: "\($0.origin.scheme.rawValue)://\($0.origin.authority)/")
            }
            return feed.map { NetworkTarget(kind: .feed, url: $0) }
                + origins.map { NetworkTarget(kind: .origin, url: $0) }
        }
        .filter { seen.insert($0).inserted }
    }
}

/// Asks feeds and origins, all at once.
struct NetworkProbe {
    /// What came of asking.
    enum Outcome: Sendable {
        /// A response, and by how many seconds this machine's clock was ahead of its date.
        case response(status: Int, offset: TimeInterval?)
        case failure(BundleError)
        /// A feed that is a file, and why it can't be read; nil when it can.
        case file(BundleError?)
    }

    /// How long each step may take: connecting, the first byte.
    static let limit: Duration = .seconds(5)

    let transport: any OriginTransport
    let credentials: FeedCredentials
    let now: @Sendable () -> Date

    /// In the order of the targets.
    func ask(_ targets: [NetworkTarget]) async -> [(NetworkTarget, Outcome)] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            for (number, target) in targets.enumerated() {
                group.addTask { (number, await outcome(of: target)) }
            }
            var outcomes: [Int: Outcome] = [:]
            for await (number, outcome) in group { outcomes[number] = outcome }
            return targets.enumerated().compactMap { number, target in outcomes[number].map { (target, $0) } }
        }
    }

    private static func obstacle(to path: String) -> BundleError? {
        do throws(BundleError) {
            _ = try InputDocument(path, atMost: 1)
            return nil
        } catch {
            return error
        }
    }

    private func outcome(of target: NetworkTarget) async -> Outcome {
        let url = target.url
        if let file = FileURL(url) { return .file(Self.obstacle(to: file.path)) }
        // A feed's server may respond to GET alone; of the content nothing is read.
        var fields: HTTPFields = [.userAgent: "bundlectl/\(ProductVersion.string)"]
        if target.kind == .feed, let feed = OriginTarget(url.absoluteString) {
            for field in credentials.fields(for: feed) { fields[field.name] = field.value }
        }
        let request = HTTPRequest(target.kind == .feed ? .get : .head, url, fields)
        do {
            let response = try await transport.send(request)
            let date = response.head.headerFields[.date].flatMap { HTTPDate($0)?.date }
            return .response(status: response.head.status.code, offset: date.map { now().timeIntervalSince($0) })
        } catch {
            return .failure(error as? BundleError ?? BundleError(.networkUnavailable, "\(error)", cause: error))
        }
    }
}
