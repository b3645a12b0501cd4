import BundleStore
import Foundation

/// What has happened to a bundle, as `history` has it.
struct EventSummary: Encodable {
    let number: Int64
    let kind: String
    let name: String
    let date: Date
    let version: String?
    let previous: String?
    let detail: String?
    let plan: String?
    let predictedByteCount: Int64?
    let receivedByteCount: Int64?

    init(_ event: UpdateEvent) {
        (number, kind, name, date) = (event.number, event.kind.rawValue, event.bundle.string, event.date)
        (version, previous, detail) = (event.version?.string, event.previous?.string, event.detail)
        (plan, predictedByteCount, receivedByteCount) = (event.plan, event.predictedByteCount, event.receivedByteCount)
    }

    /// Everything about it that has no column of its own, safe to print.
    var remark: String {
        let bytes =
            receivedByteCount.map { "\(ByteCount.text($0)) received" }
            ?? predictedByteCount.map { "\(ByteCount.text($0)) to receive" }
        return [previous.map { "from \($0)" }, plan.map { "by \($0)" }, bytes, detail].compactMap(\.self)
            .map(Printable.line).joined(separator: ", ")
    }
}
