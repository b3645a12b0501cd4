import BundleArchive
import BundleInstall
import BundleStore
import BundleTesting
import Testing

/// One kind of odd entry or archive: how it is made, and what its installation leads to. It has a row in
/// `OddArchives.md`.
struct OddArchive: Sendable {
    /// The result of an installation.
    enum Outcome: Sendable {
        /// The release has these files, path → content, besides the manifest and the page that every archive has.
        case takenIn([String: String])
        /// Each message has one of the words, and each of the words is in a message.
        case refused([String], BundleError.Code)
    }

    /// The oddity, as named in the document.
    let name: String
    let outcome: Outcome
    /// The archives that have it.
    let variants: [OddArchiveVariant]
    /// The warning when it is installed, if any.
    var warning: String?

    init(_ name: String, takenIn files: [String: String], warning: String? = nil, _ variants: [OddArchiveVariant]) {
        self.name = name
        self.warning = warning
        self.variants = variants
        outcome = .takenIn(files)
    }

    init(
        _ name: String,
        refused words: [String],
        code: BundleError.Code = .invalidArchive,
        _ variants: [OddArchiveVariant]
    ) {
        self.name = name
        self.variants = variants
        outcome = .refused(words, code)
    }

    /// The document's row.
    var row: OddArchiveRow {
        switch outcome {
        case .takenIn(let files): OddArchiveRow(name: name, isRefused: false, words: Set(files.keys))
        case .refused(let words, _): OddArchiveRow(name: name, isRefused: true, words: Set(words))
        }
    }

    static let all =
        oddNames + conflicts + links + specialEntries + lies + oddZips + oddTars + notArchives + encodings + manifests
        + limits
}

extension OddArchive: CustomTestStringConvertible {
    var testDescription: String { name }
}
