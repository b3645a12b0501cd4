import BundleServing
import BundleStore
import HTTPTypes

/// The address that a client has asked for, as an origin is told it in the fields of reverse proxies, so that an app writes that
/// address into its pages and not its own.
///
/// A client chooses the host that it names. So a response to a request with an address is selected by it, as if the origin's
/// `Vary` named the fields: otherwise one client could have another's page lead elsewhere (cache poisoning).
///
/// A value type; safe to share between threads.
struct ForwardedAddress: Hashable, Sendable {
    /// Host, scheme and prefix.
    static let names = [hostName, schemeName, prefixName]
    private static let hostName = HTTPField.Name("X-Forwarded-Host")!
    private static let schemeName = HTTPField.Name("X-Forwarded-Proto")!
    private static let prefixName = HTTPField.Name("X-Forwarded-Prefix")!

    /// Host and port.
    let authority: String
    /// `http` or `https`.
    let scheme: String
    /// What precedes the origin's path in the client's; nil when nothing does.
    let prefix: String?

    /// Nil when the bundle's manifest doesn't ask for it, and when the request names no host.
    ///
    /// - Parameters:
    ///   - match: What the client has asked for.
    ///   - url: The absolute URL that the origin is asked for.
    ///   - scheme: The scheme of requests that don't name theirs.
    init?(of match: ResourceMatch, to url: String, scheme: String) {
        guard match.release.manifest.forwardsAddress,
            let address = match.clientAddress(scheme: scheme).flatMap(OriginTarget.init)
        else { return nil }
        (authority, self.scheme) = (address.authority, address.scheme)
        prefix = match.forwardedPrefix(to: url)
    }

    /// Puts the fields into a request for the origin, in place of those that a client has sent.
    func apply(to fields: inout HTTPFields) {
        fields[Self.hostName] = authority
        fields[Self.schemeName] = scheme
        fields[Self.prefixName] = prefix
    }
}

extension ForwardedAddress: CustomStringConvertible {
    /// The URL that stands for the origin's root.
    var description: String { "\(scheme)://\(authority)\(prefix ?? "")/" }
}

extension OriginResponse {
    /// The response to a request under a release, which is selected by the address if the origins are told that.
    ///
    /// - Parameter method: The request's method.
    func selected(byAddressUnder release: Release, to method: HTTPRequest.Method) -> OriginResponse {
        guard release.manifest.forwardsAddress else { return self }
        // What updates a stored response without a Vary leaves that of the stored one as it is, which names the fields.
        let isUpdate = head.status == .notModified || method == .head
        guard !isUpdate || head.headerFields.contains(.vary) else { return self }
        var selected = self
        selected.head.headerFields.vary(by: ForwardedAddress.names)
        return selected
    }
}

extension Release {
    /// Whether a stored response to another request may be offered to the origin for confirmation: many origins derive the
    /// validators of a page from its source alone, and not from the address that they write into it.
    func mayConfirm(_ other: StoredResponse, for request: HTTPRequest) -> Bool {
        !manifest.forwardsAddress
            || ForwardedAddress.names.allSatisfy { other.selectingFields[$0] == request.headerFields[$0] }
    }
}
