import BundleServing
import BundleStore

/// What a page gets to know of its bundle. A value type; pure.
struct PageState: Equatable {
    let name: BundleName
    /// The active version, and the SHA-256 of its content.
    let active: BundleVersion?
    let digest: Digest?
    /// `active`, `probation` while the active release has yet to be confirmed, or `withdrawn` when it mustn't be used.
    let state: String
    /// The version that is installed, and becomes active later.
    let ready: BundleVersion?
    /// A higher version that the feed was found to offer.
    let available: BundleVersion?
    /// What its publisher says is new in ``ready`` or ``available``.
    let notes: String?
    /// The version of the page that asks; nil when that isn't known.
    var page: BundleVersion?
    /// What the page confirms its release with; nil when that needn't be confirmed.
    var nonce: String?

    /// - Parameters:
    ///   - checked: The last check of the feed.
    ///   - decided: The last choice of a release.
    init(_ bundle: InstalledBundle, checked: UpdateEvent?, decided: UpdateEvent?) {
        name = bundle.name
        active = bundle.activeVersion
        digest = bundle.active?.contentDigest
        state = bundle.isWithdrawn ? "withdrawn" : bundle.probationTerms != nil ? "probation" : "active"
        ready = bundle.lifecycle.pending?.version
        let active = bundle.activeVersion
        let available = checked?.version.flatMap { version in active.map { version > $0 } ?? true ? version : nil }
        self.available = available
        let newest = ready ?? available
        notes = decided.flatMap { $0.version?.string == newest?.string && newest != nil ? $0.detail : nil }
    }

    /// The same for a page of a version.
    func seen(from page: BundleVersion?, of bundle: InstalledBundle) -> PageState {
        var state = self
        state.page = page
        let probation = bundle.probationTerms == nil ? nil : bundle.lifecycle.probation
        state.nonce = probation.flatMap { $0.version.string == page?.string ? $0.nonce : nil }
        return state
    }

    /// One line of JSON.
    var document: String {
        let members: [(String, String?)] = [
            ("name", name.string), ("active", active?.string), ("digest", digest?.hex), ("state", state),
            ("ready", ready?.string), ("available", available?.string), ("notes", notes), ("page", page?.string),
            ("nonce", nonce),
        ]
        let known = members.compactMap { key, value in value.map { JSONObject.Member(key, .string($0)) } }
        return String(decoding: JSONWriter.bytes(of: .object(JSONObject(known)), .compact), as: UTF8.self)
    }
}
