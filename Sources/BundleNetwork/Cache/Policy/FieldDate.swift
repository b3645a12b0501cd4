import BundleServing
import Foundation
import HTTPTypes

extension HTTPFields {
    /// The date in the first field line called `name`; nil when there is none or it is no date.
    ///
    /// - Parameter responseTime: When the fields were received, against which a two-digit year is measured.
    func date(_ name: HTTPField.Name, receivedAt responseTime: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate($0, now: responseTime)?.date }
    }
}
