/// How much a check reads and tells. A value type.
package enum LintLimits {
    /// A longer file isn't searched for references, in bytes.
    static let maximumFileByteCount = 16 << 20
    /// The references of one file that are checked.
    static let maximumReferenceCount = 20_000
    /// How many different import maps are told apart; those of more are taken together.
    static let maximumImportMapCount = 64
    /// How deep documents in `srcdoc` are searched that are in one another.
    static let maximumDocumentDepth = 8
    /// The findings that are told; the others are counted.
    package static let maximumFindingCount = 1_000
}
