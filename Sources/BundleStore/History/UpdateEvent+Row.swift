import Foundation
import GRDB

extension UpdateEvent {
    /// Nil when a column has a value that this program never writes, such as a kind that only a newer one knows.
    init?(_ row: Row) {
        guard let kind = row.text("kind").flatMap(Kind.init),
            let bundle = row.text("bundle").flatMap({ BundleName($0) }),
            let number = row.integer("number", in: 1...Int64.max),
            let time = row.value("date", as: Double.self), time.isFinite
        else { return nil }
        self.init(
            number: number,
            kind,
            bundle,
            at: Date(timeIntervalSince1970: time),
            version: row.text("version").flatMap { BundleVersion($0) },
            previous: row.text("previous").flatMap { BundleVersion($0) },
            detail: row.text("detail"),
            plan: row.text("plan"),
            predictedByteCount: row.integer("predictedByteCount", in: 0...Int64.max),
            receivedByteCount: row.integer("receivedByteCount", in: 0...Int64.max)
        )
    }
}
