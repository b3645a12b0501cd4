import BundleStore

/// The content of a request for an action: `{"version": "1.0.0"}`, or `{}`. A value type.
struct DashboardTerms: Equatable {
    /// The longest content in bytes.
    static let maximumByteCount = 1 << 10

    let version: BundleVersion?

    /// - Throws: `BundleError` with code `invalidArgument` for anything but an object, for a version that is none, and
    ///   without a version for an action that needs one.
    init(_ content: [UInt8], for action: DashboardAction) throws(BundleError) {
        let root = try JSONElement(
            parsing: content,
            named: "the content",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        guard let element = try root.member("version") else {
            if action.needsVersion { throw root.refused("names no version; send {\"version\": \"1.0.0\"}") }
            version = nil
            return
        }
        guard let version = BundleVersion(try element.string()) else { throw element.refused("isn't a version") }
        self.version = version
    }
}
