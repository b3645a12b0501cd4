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

    /// What follows from a quota below what is in use; nothing is removed by setting it.
    static func warnings(_ use: StorageUse) -> [String] {
        guard let quota = use.quota, use.byteCount > quota else { return [] }
        let excess = use.byteCount - quota
        let state = "the quota is \(ByteCount.text(quota)), and \(ByteCount.text(use.byteCount)) are in use"
        guard excess > use.removableByteCount else {
            return [
                "\(state): the next install or update removes \(ByteCount.text(excess)) or more, cached responses first, then "
                    + "earlier versions that aren't pinned; raise the quota to keep them"
            ]
        }
        return [
            "\(state), of which \(ByteCount.text(use.removableByteCount)) can be removed: installs and updates are refused; "
                + "raise the quota, or remove or unpin versions"
        ]
    }

    var lines: [String] {
        KeyValueList.lines([
            ("quota", quota.map(ByteCount.text) ?? "none"), ("in use", ByteCount.text(byteCount)),
            ("removable", ByteCount.text(removableByteCount)),
        ])
    }
}
