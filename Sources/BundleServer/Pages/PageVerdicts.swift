import BundleServing
import BundleStore
import HTTPTypes

/// Records what pages say of their releases. Thread-safe; waits for the disk.
struct PageVerdicts: Sendable {
    /// How many reports of one release are kept.
    static let maximumReportCount = 8
    /// How many there may be for one without the nonce that the release's pages have: any client can make those, and mustn't crowd
    /// out pages.
    static let maximumUnprovenReportCount = 4

    let store: BundleStore

    /// - Throws: ``/BundleModel/BundleError`` with code `storeBusy` or `storeUnavailable` when it can't be recorded.
    func take(_ call: PageCall, _ statement: PageStatement, _ request: HTTPRequest) throws -> Response {
        guard let bundle = store.snapshot.bundles[call.name] else {
            return .plain(.notFound, "There is no such bundle any more.")
        }
        let page = PageStateReader.page(call, request, bundle)
        if call.action == .good { return try confirm(bundle, statement.nonce, from: page) }
        if let version = Self.reported(by: call, page, of: bundle) {
            let isProven = bundle.nonce(of: version).map { statement.nonce == $0 } ?? true
            report(statement.message ?? "", of: bundle.name, version, isProven: isProven)
        }
        return Self.accepted
    }

    /// The release that a page reports an error of: the one that it names, whatever its cookie says. Nil when it names one
    /// that isn't installed: no page can fill the history with versions of its own.
    private static func reported(
        by call: PageCall,
        _ page: BundleVersion?,
        of bundle: InstalledBundle
    ) -> BundleVersion? {
        guard let named = call.page else { return page ?? bundle.activeVersion }
        return bundle.releases.first { $0.version.string == named }?.version
    }

    /// A page of another release has another nonce, or none.
    private func confirm(_ bundle: InstalledBundle, _ nonce: String?, from page: BundleVersion?) throws -> Response {
        guard bundle.probationTerms != nil, let probation = bundle.lifecycle.probation else {
            let isActive = page != nil && page?.string == bundle.activeVersion?.string
            return isActive ? Self.accepted : Self.foreign
        }
        guard probation.nonce == nonce else { return Self.foreign }
        try store.confirm(bundle.name, probation.version)
        return Self.accepted
    }

    /// Records an error of a page, if there aren't many of its release already.
    ///
    /// - Parameter isProven: Whether a page of the release reports it, by its nonce, if there is one.
    func report(_ message: String, of name: BundleName, _ version: BundleVersion?, isProven: Bool = false) {
        let limit = isProven ? Self.maximumReportCount : Self.maximumUnprovenReportCount
        let event = UpdateEvent(.reported, name, at: store.now(), version: version, detail: message)
        try? store.record(event, atMost: limit)
    }

    private static let accepted = Response(
        head: HTTPResponse(status: .noContent, headerFields: [.cacheControl: "no-store"])
    )
    private static let foreign = Response.plain(
        .conflict,
        "This isn't what pages of the active release are given, or it needn't be confirmed."
    )
}

extension InstalledBundle {
    /// What pages of a release confirm it with; nil when they needn't.
    fileprivate func nonce(of version: BundleVersion) -> String? {
        lifecycle.probation.flatMap { $0.version.string == version.string ? $0.nonce : nil }
    }
}

/// What a page says of its release: `{"nonce": "…"}`, `{"message": "…"}`, or both. A value type.
struct PageStatement: Equatable {
    /// The longest content in bytes.
    static let maximumByteCount = 8 << 10

    let nonce: String?
    let message: String?

    /// - Throws: `BundleError` with code `invalidArgument` for anything but an object with texts.
    init(_ content: [UInt8]) throws(BundleError) {
        let root = try JSONElement(
            parsing: content,
            named: "the content",
            maximumByteCount: Self.maximumByteCount,
            refusedAs: .invalidArgument
        )
        nonce = try root.member("nonce")?.string()
        message = try root.member("message")?.string()
    }
}
