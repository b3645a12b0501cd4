/// What a check of a release has found. A value type.
package struct LintReport: Sendable {
    /// The files of one media type.
    package struct TypeSize: Equatable, Sendable {
        package let mediaType: String
        package let fileCount: Int
        package let byteCount: Int64
        /// The bytes in the version before; nil without one.
        package let byteCountBefore: Int64?
    }

    /// The first ``LintLimits/maximumFindingCount``, errors first, otherwise by file and line.
    package let findings: [LintFinding]
    /// How many there are in all.
    package let findingCount: Int
    package let errorCount: Int
    /// By media type, the largest first.
    package let sizes: [TypeSize]

    init(_ findings: [LintFinding], sizes: [TypeSize]) {
        let sorted = findings.filter(\.isError) + findings.filter { !$0.isError }
        self.findings = Array(sorted.prefix(LintLimits.maximumFindingCount))
        findingCount = findings.count
        errorCount = findings.count(where: \.isError)
        self.sizes = sizes
    }
}
