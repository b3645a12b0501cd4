/// A response that takes the place of the network's, during development. A value type; safe to share between threads.
package struct RuleMock: Equatable, Sendable {
    /// The keys of a mock.
    enum Key: String, CaseIterable {
        case file
        case status
        case fields
        case delay
    }

    /// The statuses without content (RFC 9110 §15).
    static let emptyStatuses: Set<Int64> = [204, 205, 304]

    /// The content; nil for none.
    package let file: BundlePath?
    /// 200 to 599.
    package let status: Int
    /// Fields besides those of the file.
    package let fields: [HeaderField]
    /// How long the response takes.
    package let delay: Milliseconds?

    /// Returns nil for another status, and for a file with a status that has no content.
    package init?(file: BundlePath?, status: Int64 = 200, fields: [HeaderField] = [], delay: Milliseconds? = nil) {
        guard (200...599).contains(status), file == nil || !Self.emptyStatuses.contains(status) else { return nil }
        self.file = file
        self.status = Int(status)
        self.fields = fields
        self.delay = delay
    }
}
