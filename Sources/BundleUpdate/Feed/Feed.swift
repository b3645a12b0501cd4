import BundleStore
import Foundation
import HTTPCore

/// The publisher's list of releases, read and checked. A value type; safe to share between threads.
package struct Feed: Equatable, Sendable {
    /// The longest feed in bytes.
    package static let maximumByteCount = 4 << 20
    /// The longest ``poll``, 7 days in seconds: half of the time for which devices take what the online key has signed.
    package static let maximumPoll: Int64 = 7 * 86_400

    /// The bundle that the feed is about.
    package let name: BundleName
    /// The number of the feed's last change, which never goes down; nil in a feed without one.
    package let sequence: Int64?
    /// Whether it says that its publisher signs it.
    package let isSigned: Bool
    /// The least time in seconds from one check to the next, from 1 to ``maximumPoll``; nil when its publisher doesn't say.
    package let poll: Int64?
    /// The releases in the feed's order, one for each version.
    package let releases: [FeedRelease]

    /// Makes a feed of releases that have been checked. Of two with equal versions the later is kept.
    package init(
        name: BundleName,
        sequence: Int64? = nil,
        isSigned: Bool = false,
        poll: Int64? = nil,
        releases: [FeedRelease]
    ) {
        self.name = name
        self.sequence = sequence
        self.isSigned = isSigned
        self.poll = poll
        self.releases = releases.lastOfEach(\.version)
    }

    /// Reads `{"name", "sequence", "versions": [{"version", "src", "size", "sha256", …}]}`; ``FeedReader/Key`` has all
    /// keys. Unknown ones are ignored. Of two entries with equal versions the last is kept. A feed that a device acts on is read by
    /// ``FeedSource``, which alone parses it.
    ///
    /// - Parameters:
    ///   - json: The feed's bytes: JSON in UTF-8, at most 4 MiB.
    ///   - baseURL: Where the feed came from, after redirects; each `src` is resolved against it (RFC 3986 §5).
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidFeed` when the text is too long, isn't JSON or has a
    ///   key twice, or when any entry is wrong: a feed with one wrong entry can't be trusted with the others. A `src`
    ///   is wrong when it isn't `http` or `https`, or, in a feed that is a file itself, a file below its folder; when it leaves `https` for `http`, or has user information or a fragment.
    package static func parse(_ json: [UInt8], baseURL: URL) throws(BundleError) -> Feed {
        try parse(json, baseURL: baseURL, trust: nil)
    }

    /// The same, of a feed that was verified.
    ///
    /// - Parameter trust: What its publisher vouches for; nil where nothing has to be signed.
    static func parse(_ json: [UInt8], baseURL: URL, trust: FeedTrust?) throws(BundleError) -> Feed {
        let root = try FeedReader.root(of: json, named: baseURL.reported)
        let elements = try FeedReader.entries(of: root)
        let name = try FeedReader.name(of: root)
        let resolver = FeedSourceResolver(baseURL: baseURL)
        let authority = OriginTarget(baseURL.absoluteString)?.authority ?? ""
        let releases =
            try elements.map { (element) throws(BundleError) -> FeedRelease in
                let entry = try FeedReader.entry(element)
                return FeedRelease(
                    version: entry.version,
                    source: try resolver.resolve(element.required(FeedReader.Key.source)),
                    size: entry.size,
                    digest: entry.digest,
                    terms: entry.terms,
                    contents: try FeedReader.contents(of: element, resolver.resolve),
                    patches: try FeedReader.patches(of: element, resolver.resolve),
                    trust: trust.map { $0.verdict(on: entry, of: name) } ?? .notRequired,
                    feedAuthority: authority
                )
            }
        return Feed(
            name: name,
            sequence: try FeedReader.sequence(of: root),
            isSigned: try FeedReader.isSigned(root),
            poll: try FeedReader.poll(of: root),
            releases: releases
        )
    }
}

/// Turns the `src` of a release into the URL to fetch.
struct FeedSourceResolver {
    let baseURL: URL

    func resolve(_ element: JSONElement) throws(BundleError) -> URL {
        let text = try element.string()
        // Foundation would otherwise percent-encode invalid characters, and a server might interpret the result
        // differently.
        guard URL(string: text, encodingInvalidCharacters: false) != nil,
            let url = URL(string: text, relativeTo: baseURL)?.absoluteURL
        else {
            throw refused(element, text, "is not a URL reference; percent-encode what is not ASCII")
        }
        return try checked(url, element, text)
    }

    private func checked(_ url: URL, _ element: JSONElement, _ text: String) throws(BundleError) -> URL {
        if let isBeside = OperatorPlaces.isBeside(url, feed: baseURL) {
            guard isBeside else {
                throw refused(element, text, "isn't in the folder of its feed; name what is beside the feed")
            }
            return url
        }
        let parts = try parts(of: url, element)
        guard !parts.hasFragment else {
            throw refused(element, text, "has a fragment; leave out “#” and what follows")
        }
        if ["https", "oci", "s3"].contains(baseURL.scheme?.lowercased()), parts.scheme == .http {
            throw refused(element, text, "leaves \(baseURL.scheme ?? "") for http; serve the archive over https too")
        }
        let scheme = parts.scheme.rawValue
        guard let url = URL(string: scheme + url.absoluteString.dropFirst(scheme.count)) else {
            throw refused(element, text, "is not a URL reference")
        }
        return url
    }

    private func parts(of url: URL, _ element: JSONElement) throws(BundleError) -> HTTPURL {
        do {
            return try HTTPURL(url.absoluteString)
        } catch {
            throw element.refused("\(error)", cause: error)
        }
    }

    private func refused(_ element: JSONElement, _ text: String, _ problem: String) -> BundleError {
        element.refused("“\(Printable.text(text))” \(problem)")
    }
}

extension Array {
    /// The elements without those whose key a later element has too, in the same order.
    package func lastOfEach<Key: Hashable>(_ key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return reversed().filter { seen.insert(key($0)).inserted }.reversed()
    }
}
