import Foundation

/// Writes reports, which are values that programs read as a state or a result: keys are sorted, keys without a value are left out,
/// and slashes aren't escaped. ``JSONWriter`` writes the documents whose bytes count: manifests, feeds and content lists.
package enum JSONDocument {
    /// How dates are written.
    package enum DateFormat: Sendable {
        /// ISO 8601 in UTC, to the second.
        case text
        /// Seconds since 1970, rounded.
        case seconds
    }

    /// Several lines, with a line break at the end.
    package static func text(of report: some Encodable) -> String {
        encoded(report, [.prettyPrinted], .text) + "\n"
    }

    /// One line, without a line break.
    package static func line(of report: some Encodable, dates: DateFormat = .text) -> String {
        encoded(report, [], dates)
    }

    private static func encoded(
        _ report: some Encodable,
        _ layout: JSONEncoder.OutputFormatting,
        _ dates: DateFormat
    ) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = layout.union([.sortedKeys, .withoutEscapingSlashes])
        encoder.dateEncodingStrategy =
            switch dates {
            case .text: .iso8601
            case .seconds:
                .custom { date, encoder in
                    try (Int64(exactly: date.timeIntervalSince1970.rounded()) ?? 0).encode(to: encoder)
                }
            }
        // Only a number that isn't finite can't be encoded, and reports have none.
        return (try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
