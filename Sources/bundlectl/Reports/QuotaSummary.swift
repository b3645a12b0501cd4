import BundleStore

/// The result of `quota`.
struct QuotaSummary: Report {
    let quota: Int64?
    let byteCount: Int64
    let removableByteCount: Int64

    init(_ use: StorageUse) {
        quota = use.quota
        byteCount = use.byteCount
        removableByteCount = use.removableByteCount
    }

    var lines: [String] {
        KeyValueList.lines([
            ("quota", quota.map(ByteCount.text) ?? "none"), ("in use", ByteCount.text(byteCount)),
            ("removable", ByteCount.text(removableByteCount)),
        ])
    }
}
