import HTTPTypes

/// A request field that can change what a bundle responds. This list is the only one: a responder is shown no other field before
/// the network is asked, and ready responses are kept by these.
public enum DecidingField: UInt8, CaseIterable, Sendable {
    case accept
    case acceptEncoding
    case accessControlRequestHeaders
    case accessControlRequestMethod
    case accessControlRequestPrivateNetwork
    case availableDictionary
    /// Only the cookies of this server decide, see `VersionCookies`.
    case cookie
    case ifMatch
    case ifModifiedSince
    case ifNoneMatch
    case ifRange
    case ifUnmodifiedSince
    case origin
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
        case .cookie: .cookie
        case .ifMatch: .ifMatch
        case .ifModifiedSince: .ifModifiedSince
        case .ifNoneMatch: .ifNoneMatch
        case .ifRange: .ifRange
        case .ifUnmodifiedSince: .ifUnmodifiedSince
        case .origin: .origin
        case .range: .range
        case .secFetchDest: .secFetchDest
        case .secFetchMode: .secFetchMode
        case .secFetchSite: .secFetchSite
        case .serviceWorker: .serviceWorker
        case .via: .via
        }
    }

    /// Whether the field is a condition, or asks for a part: it decides how much of a representation is sent, and not which one.
    public var isCondition: Bool {
        switch self {
        case .ifMatch, .ifModifiedSince, .ifNoneMatch, .ifRange, .ifUnmodifiedSince, .range: true
        default: false
        }
    }
}
