/// Fields that are removed, replaced and added, in this order. A value type; safe to share between threads.
package struct FieldEdit: Equatable, Sendable {
    /// The keys of an edit.
    enum Key: String, CaseIterable {
        case set
        case add
        case remove
    }

    /// The largest number of fields in each list.
    static let maximumCount = 32
    /// The longest value in bytes.
    static let maximumValueByteCount = 4_096

    /// Fields that replace all of their name.
    package var set: [HeaderField] = []
    /// Fields that are added to those of their name.
    package var add: [HeaderField] = []
    /// Names of fields that are removed.
    package var remove: [String] = []

    /// No edit.
    package init() {}

    /// Whether nothing changes.
    package var isEmpty: Bool { remove.isEmpty && set.isEmpty && add.isEmpty }
}
