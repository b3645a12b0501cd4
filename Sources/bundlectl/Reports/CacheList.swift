import BundleNetwork
import BundleStore
import Foundation
import HTTPTypes

/// The result of `cache list`.
struct CacheList: Report {
    /// One response.
    struct Entry: Encodable {
        let url: String
        let name: String
        let version: String
        let byteCount: Int64
        let storedAt: Date
        let status: Int?
        let mediaType: String?
        let secondsLeft: Int?
    }

    let responses: [Entry]

    /// - Parameter now: The time at which freshness is evaluated.
    init(_ responses: [CachedResponse], policy: CachePolicy, now: Date) {
        self.responses = responses.map { response in
            let stored = StoredResponse(encoded: response.metadata)
            return Entry(
                url: response.url,
                name: response.bundle.string,
                version: response.version.string,
                byteCount: response.byteCount,
                storedAt: response.storedAt,
                status: stored?.status,
                mediaType: stored?.fields[.contentType],
                secondsLeft: stored.flatMap {
                    Int(exactly: policy.freshness(of: $0, now: now).timeToLive.rounded(.down))
                }
            )
        }
    }

    var lines: [String] {
        guard !responses.isEmpty else { return ["the cache is empty"] }
        var table = Table([
            ("BUNDLE", .left), ("STATUS", .right), ("SIZE", .right), ("STORED", .left), ("FRESH", .right),
            ("URL", .left),
        ])
        for response in responses {
            table.add([
                "\(response.name)@\(response.version)", response.status.map(String.init) ?? "?",
                ByteCount.text(response.byteCount), Timestamp.text(response.storedAt),
                response.secondsLeft.map { $0 >= 0 ? "\($0) s" : "no" } ?? "?", Printable.line(response.url),
            ])
        }
        return table.lines
    }
}
