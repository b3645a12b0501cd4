import BundleStore

/// A response that takes the network's place during development. A value type; safe to share between threads.
package struct MockResponse: Equatable, Sendable {
    /// Where the content is.
    package enum Content: Equatable, Sendable {
        /// There is none.
        case empty
        /// In the bundle.
        case bundled(BundlePath)
        /// In a file beside the operator's rules.
        case file(String)
    }

    /// Where the content is.
    package let content: Content
    /// The status.
    package let status: Int
    /// Fields besides those of the content.
    package let fields: [HeaderField]
    /// How long the response takes.
    package let delay: Duration?

    init(_ mock: RuleMock, of source: AppliedRule.Source) {
        content =
            switch (mock.file, source) {
            case (nil, _): .empty
            case (let path?, .manifest): .bundled(path)
            case (let path?, .file(_, let folder)): .file("\(folder)/\(path)")
            }
        status = mock.status
        fields = mock.fields
        delay = mock.delay?.duration
    }
}
