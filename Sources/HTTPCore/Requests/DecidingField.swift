import HTTPTypes

/// A request field that can change a bundle's response. This is the only list: a responder gets no other field unless
/// its response has to be awaited, and ready responses are kept by these fields, and by those that
/// ``ResponseStart/Reuse/selectors`` names.
public enum DecidingField: UInt8, CaseIterable, Sendable {
    case accept
    case acceptEncoding
    case accessControlRequestHeaders
    case accessControlRequestMethod
    case accessControlRequestPrivateNetwork
    case availableDictionary
    /// Decides only whether a stored response may be used (RFC 9111 §5.2.1).
    case cacheControl
    /// Only this server's cookies count, see `VersionCookies`.
    case cookie
    case ifMatch
    case ifModifiedSince
    case ifNoneMatch
    case ifRange
    case ifUnmodifiedSince
    case origin
    /// As `Cache-Control` (RFC 9111 §5.4).
    case pragma
    case range
    case secFetchDest
    case secFetchMode
    case secFetchSite
    case serviceWorker
    case via

    /// The field's name.
    public var name: HTTPField.Name {
        switch self {
        case .accept: .accept
        case .acceptEncoding: .acceptEncoding
        case .accessControlRequestHeaders: .accessControlRequestHeaders
        case .accessControlRequestMethod: .accessControlRequestMethod
        case .accessControlRequestPrivateNetwork: .accessControlRequestPrivateNetwork
        case .availableDictionary: .availableDictionary
        case .cacheControl: .cacheControl
        case .cookie: .cookie
        case .ifMatch: .ifMatch
        case .ifModifiedSince: .ifModifiedSince
        case .ifNoneMatch: .ifNoneMatch
        case .ifRange: .ifRange
        case .ifUnmodifiedSince: .ifUnmodifiedSince
        case .origin: .origin
        case .pragma: .pragma
        case .range: .range
        case .secFetchDest: .secFetchDest
        case .secFetchMode: .secFetchMode
        case .secFetchSite: .secFetchSite
        case .serviceWorker: .serviceWorker
        case .via: .via
        }
    }

    /// Whether the field is a condition or a range: it decides how much of a representation is sent, not which one.
    @inlinable
    public var isCondition: Bool {
        switch self {
        case .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .range: true
        default: false
        }
    }

    /// The fields that decide whether a stored response may be used, and nothing else: a bundled file doesn't depend on
    /// them.
    public static let cacheDirectives: [DecidingField] = [.cacheControl, .pragma]
}
