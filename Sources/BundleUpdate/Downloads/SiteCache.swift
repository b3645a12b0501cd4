import BundleStore
import Foundation
import HTTPCore
import Synchronization

/// A cache on the site's network, such as nginx or Varnish, that is asked before publishers' servers for what has a digest:
/// archives, patches, content lists, and parts of archives. It isn't believed: the digest decides. It gets no credentials.
///
/// It has the file of an origin below its own URL, with the origin's host as the first part: `https://get.example.com/shop/1.zip` is
/// `http://cache.local:8080/get.example.com/shop/1.zip`.
///
/// A value type; safe to share between threads.
public struct SiteCache: Hashable, Sendable {
    /// How long it may take to the head of a response, and be slower than the least rate.
    static let patience: Duration = .seconds(5)
    /// The least rate in bytes per second, where a transfer has no higher one.
    static let leastRate: Int64 = 1_000

    /// Without a slash at the end.
    private let base: String

    /// - Parameter url: An `http` or `https` URL; it may have a path, and has no query.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for anything else.
    public init(_ url: String) throws(BundleError) {
        guard let parsed = try? HTTPURL(url), !parsed.hasQuery, !parsed.hasFragment, URL(string: url) != nil else {
            throw BundleError(
                .invalidArgument,
                "“\(URL.reported(String(url.prefix(1_024))))” is not the URL of a cache, such as http://cache.local:8080: it has no user, "
                    + "query and fragment"
            )
        }
        base = url.last == "/" ? String(url.dropLast()) : url
    }

    /// Where the cache has a publisher's file; nil for a URL with a query, by which a file may be private, and for what isn't on
    /// a web server.
    func url(of source: URL) -> URL? {
        guard let parsed = try? HTTPURL(source.absoluteString), !parsed.hasQuery else { return nil }
        let authority = parsed.port.map { "\(parsed.host):\($0)" } ?? parsed.host
        return URL(string: "\(base)/\(authority)\(String(Substring(parsed.path)))")
    }
}

/// Whether a site's cache is asked now. Thread-safe.
final class SiteCacheUse: Sendable {
    /// How long it isn't asked once it was left: longer than most programs run that update.
    static let pause: Duration = .seconds(3_600)

    let cache: SiteCache
    private let elapsed: @Sendable () -> Duration
    private let leftAt = Mutex<Duration?>(nil)

    init(_ cache: SiteCache, clock: any Clock<Duration>) {
        self.cache = cache
        elapsed = clock.stopwatch()
    }

    var isAsked: Bool {
        let now = elapsed()
        return leftAt.withLock { $0.map { now - $0 >= Self.pause } ?? true }
    }

    /// Asks it no more for a while. Returns whether it was asked until now.
    @discardableResult
    func leave() -> Bool {
        let now = elapsed()
        return leftAt.withLock { leftAt in
            if let left = leftAt, now - left < Self.pause { return false }
            leftAt = now
            return true
        }
    }
}

extension TransferLimits {
    /// For a site's cache.
    var ofCache: TransferLimits {
        var limits = self
        limits.patience = min(patience, SiteCache.patience)
        limits.leastRate = max(leastRate, SiteCache.leastRate)
        return limits
    }
}
