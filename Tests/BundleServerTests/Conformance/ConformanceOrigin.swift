import BundleNetwork
import BundleTesting
import HTTPCore
import HTTPTypes

/// What the shop's origin sends.
enum ConformanceOrigin {
    /// Those that the servers have cached before the first request.
    static let cachedPaths = ["/shop/data.json", "/shop/stale.txt"]

    static let text = "from the network"
    private static let shop = "https://m.example.com/shop/"
    private static let date = "Fri, 15 Jan 2027 08:00:00 GMT"
    private static let earlierDate = "Fri, 15 Jan 2027 07:00:00 GMT"

    /// A network for one server.
    static func network() -> ScriptedTransport {
        let network = ScriptedTransport()
        network.response(shop + "data.json", .ok, dataFields, #"{"a":1}"#)
        for name in ["stored", "stored-head", "stored-page"] {
            network.response(shop + "\(name).txt", .ok, fields("max-age=60"), text)
        }
        network.response(shop + "gone.txt", .notFound, fields("no-store"), text)
        network.response(shop + "live.txt", .ok, fields("no-store"), text)
        network.response(shop + "stream.txt") { _ in
            let fields: HTTPFields = [.cacheControl: "no-store", .contentType: "text/plain", .date: date]
            return OriginResponse(.ok, fields, ["from ", "the ", "network"].map { Array($0.utf8) })
        }
        let isStaleSent = Monitor(false)
        network.response(shop + "stale.txt") { _ in
            let isFirst = isStaleSent.update { isSent in
                defer { isSent = true }
                return !isSent
            }
            guard isFirst else { throw OriginResponse.connectionLost }
            return OriginResponse(.ok, fields("max-age=60", date: earlierDate), text)
        }
        return network
    }

    private static func fields(_ cacheControl: String, date: String = date) -> HTTPFields {
        [
            .cacheControl: cacheControl, .contentType: "text/plain", .contentLength: String(text.utf8.count),
            .date: date,
        ]
    }

    private static let dataFields: HTTPFields = [
        .cacheControl: "max-age=3600", .contentType: "application/json", .eTag: "\"v1\"",
        .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .vary: "Accept-Language", .date: date,
    ]
}
