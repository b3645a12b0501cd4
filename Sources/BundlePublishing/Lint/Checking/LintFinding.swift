/// Something about a release that its publisher should know. A value type.
package struct LintFinding: Equatable, Sendable {
    /// What it is, for programs.
    package enum Code: String, Sendable {
        /// A file below the release's origins that it doesn't have.
        case missing
        /// A URL elsewhere.
        case external
        /// A specifier that isn't a URL, and that no import map has.
        case specifier
        /// A source map that the release doesn't have, or one that lacks sources which the release doesn't have either.
        case sourceMap
        /// A reference that is no URL.
        case invalidURL
        /// A page that a link leads to, below the release's origins, that it doesn't have.
        case deadLink
        /// The entry page that a manifest needn't name isn't there.
        case entry
        /// A script or a style sheet that browsers refuse for its media type.
        case mediaType
        /// Files whose media type isn't known.
        case unknownMediaType
        /// A file that is too long to be searched, or has too many references.
        case unchecked
    }

    package let code: Code
    /// Whether something would miss offline or not work; otherwise it is a hint.
    package let isError: Bool
    /// The file that it is about; nil for the release as a whole.
    package let file: String?
    /// The line in the file, from 1; nil when it is about the whole file.
    package let line: Int?
    /// In words, without a capital and a full stop, as a part of a line.
    package let message: String

    init(_ code: Code, isError: Bool, file: String? = nil, line: Int? = nil, _ message: String) {
        self.code = code
        self.isError = isError
        self.file = file
        self.line = line
        self.message = message
    }
}
