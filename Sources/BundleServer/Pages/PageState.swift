import BundleNetwork
import BundleServing
import BundleStore
import HTTPTypes

/// What a page gets to know of its bundle, as its JSON document has it. A value type; pure.
struct PageState: Equatable, Encodable {
    let name: BundleName
    /// The active version, and the SHA-256 of its content.
    let active: BundleVersion?
    let digest: Digest?
    /// SHA-256 of the root by which the active version is vouched for; nil when nobody vouches for it.
    let signedBy: String?
    /// `active`, `probation` while the active release has yet to be confirmed, or `withdrawn` when it mustn't be used.
    let state: String
    /// The version that is installed, and becomes active later.
    let ready: BundleVersion?
    /// The higher version that the last check has chosen to update to, unless the operator has forbidden it since.
    let available: BundleVersion?
    /// What its publisher says is new in ``ready`` or ``available``.
    let notes: String?
    /// The version of the page that asks; nil when that isn't known.
    var page: BundleVersion?
    /// What the page confirms its release with, and acts with; nil when the release needn't be confirmed, and its pages mustn't act.
    var nonce: String?

    /// - Parameters:
    ///   - updates: What is remembered of its updates.
    ///   - choice: The choice of the last check; see ``/BundleStore/UpdateEvent/Kind/decided``.
    ///   - readyChoice: The choice of the release that becomes active later.
    init(_ bundle: InstalledBundle, _ updates: UpdateState?, choice: UpdateEvent?, readyChoice: UpdateEvent? = nil) {
        name = bundle.name
        active = bundle.activeVersion
        digest = bundle.active?.contentDigest
        signedBy = bundle.signedBy
        state = bundle.isWithdrawn ? "withdrawn" : bundle.probationTerms != nil ? "probation" : "active"
        ready = bundle.lifecycle.pending?.version
        available = choice?.version.flatMap { Self.isAllowed($0, bundle, updates) ? $0 : nil }
        notes = ready != nil ? readyChoice?.detail : available != nil ? choice?.detail : nil
    }

    /// Whether a release that was chosen may still be installed, though something was activated, left, or put on hold since.
    private static func isAllowed(_ version: BundleVersion, _ bundle: InstalledBundle, _ updates: UpdateState?) -> Bool
    {
        guard updates?.isOnHold != true else { return false }
        return [bundle.activeVersion, updates?.heldVersion].allSatisfy { other in other.map { version > $0 } ?? true }
    }

    /// The same for a page of a version.
    ///
    /// - Parameter actionNonce: What pages of the active release act with, unless they confirm it; nil when they mustn't act.
    func seen(from page: BundleVersion?, of bundle: InstalledBundle, actionNonce: String?) -> PageState {
        var state = self
        state.page = page
        let probation = bundle.probationTerms == nil ? nil : bundle.lifecycle.probation
        let isActive = page != nil && page?.string == active?.string
        state.nonce =
            probation.flatMap { $0.version.string == page?.string ? $0.nonce : nil } ?? (isActive ? actionNonce : nil)
        return state
    }
}

/// Reads what pages get to know from the store. Thread-safe.
struct PageStateReader: Sendable {
    let store: BundleStore

    /// What the page that makes a request gets to know. Reads the catalog.
    func state(
        for call: PageCall,
        _ request: HTTPRequest,
        of bundle: InstalledBundle,
        _ actions: PageActions
    ) -> PageState {
        let page = Self.page(call, request, bundle)
        return state(of: bundle).seen(from: page, of: bundle, actionNonce: actions.nonce(of: bundle))
    }

    /// What every page gets to know. Reads the catalog.
    func state(of bundle: InstalledBundle) -> PageState {
        PageState(
            bundle,
            try? store.updateState(of: bundle.name),
            choice: try? store.lastEvent(.decided, of: bundle.name),
            readyChoice: bundle.lifecycle.pending.flatMap {
                try? store.lastEvent(.decided, of: bundle.name, $0.version)
            }
        )
    }

    /// The version of the page that makes a call, by its version cookie; nil when that isn't an installed one, and when the
    /// page says that it is of another one. The cookie is the browser's: another tab may have got it since.
    static func page(_ call: PageCall, _ request: HTTPRequest, _ bundle: InstalledBundle) -> BundleVersion? {
        let version = VersionCookies(request.headerFields[.cookie]).version(of: call.name)
        guard call.page == nil || call.page == version else { return nil }
        return bundle.releases.first { $0.version.string == version }?.version
    }
}
