import BundleNetwork
import BundleServing
import BundleStore
import BundleUsage

extension UsageReport {
    /// The document of `ob_statistics`.
    var document: JSONValue {
        let layers = ResponseSource.Layer.allCases.map { ($0.rawValue, JSONValue.count(requests[$0] ?? 0)) }
        return .members([
            ("requests", .members([("total", .count(requests.values.reduce(0, &+)))] + layers)),
            ("hitRate", hitRate.map { .number(JSONNumber($0)) }), ("bytes", byteCounts),
            ("saved", .members([("codings", .count(savedByCodings)), ("deltas", .count(savedByDeltas))])),
            ("revalidations", .members([("count", .count(revalidations)), ("confirmed", .count(confirmations))])),
            ("errors", errors), ("offlinePageCount", .count(offlinePages)), ("missCount", .count(missCount)),
            ("misses", .array(misses.map(Self.document))), ("slowest", .array(slowest.map(Self.document))),
        ])
    }

    private var byteCounts: JSONValue {
        .members([
            ("bundle", .count(bytes.bundle)), ("cache", .count(bytes.cache)), ("network", .count(bytes.network)),
            ("server", .count(bytes.server)),
        ])
    }

    private var errors: JSONValue {
        .members([
            ("client", .count(clientErrors)), ("server", .count(serverErrors)), ("abandoned", .count(abandoned)),
            ("offline", .count(offline)), ("noResponse", .count(noResponse)), ("denied", .count(denied)),
            ("onlyIfCached", .count(onlyIfCached)),
        ])
    }

    private static func document(_ miss: Miss) -> JSONValue {
        .members([("name", .string(miss.name)), ("path", .string(miss.path)), ("count", .count(miss.count))])
    }

    private static func document(_ slow: SlowURL) -> JSONValue {
        .members([
            ("name", .string(slow.name)), ("url", .string(slow.url)), ("count", .count(slow.count)),
            ("meanMilliseconds", .count(slow.meanMilliseconds)),
            ("maximumMilliseconds", .count(slow.maximumMilliseconds)),
        ])
    }
}
