import Foundation
import HTTPTypes

extension HTTPFields {
    /// The date in the first field line called `name`; nil when there is none or it isn't a date.
    ///
    /// - Parameter responseTime: When the fields were received, which determines the century of a two-digit year.
    package func date(_ name: HTTPField.Name, receivedAt responseTime: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate($0, now: responseTime)?.date }
    }
}
