/// How much a check reads and tells. A value type.
package enum LintLimits {
    /// A longer file isn't searched for references, in bytes.
    static let maximumFileByteCount = 16 << 20
    /// The references of one file that are checked.
    static let maximumReferenceCount = 20_000
    /// The findings that are told; the others are counted.
    package static let maximumFindingCount = 1_000
}
