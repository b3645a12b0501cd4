import HTTPTypes
import Synchronization

/// The outcome of a request without waiting.
public enum ResponseStart: Sendable {
    /// The response.
    case complete(Response, ResponseSource, Reuse = .never)
    /// The cache or the network has to be consulted, or a delta made; the closure does this, and may be called once.
    case waiting(@Sendable (ClientExchange) async -> ServedResponse)

    /// Which other requests get the same response while the responder's generation doesn't change, and for how long.
    public struct Reuse: Sendable {
        /// Which requests get it: those with the same method, authority and deciding fields, and …
        public enum Scope: Sendable, Comparable {
            /// None: the next response may differ.
            case never
            /// … the same target.
            case target
            /// … the same path, whatever the query.
            case path
        }

        /// Which requests get it.
        public let scope: Scope
        /// How long they get it; nil for as long as the generation doesn't change.
        ///
        /// A response with a limited validity is one of a cache: requests with ``DecidingField/cacheDirectives`` don't
        /// get it, but have the responder asked.
        public let validity: ResponseValidity?
        /// Fields beside ``DecidingField`` that the response was selected by: only requests with the same values of these
        /// get it. Empty for most responses.
        public let selectors: [HTTPField.Name]

        /// Creates a reuse.
        public init(
            _ scope: Scope,
            while validity: ResponseValidity? = nil,
            selectedBy selectors: [HTTPField.Name] = []
        ) {
            self.scope = scope
            self.validity = validity
            self.selectors = selectors
        }

        /// None.
        public static let never = Reuse(.never)
        /// Requests for the same target.
        public static let target = Reuse(.target)
        /// Requests for the same path.
        public static let path = Reuse(.path)

        /// Requests for the same target and with the same values of `selectors`, while the response is valid.
        public static func target(
            while validity: ResponseValidity,
            selectedBy selectors: [HTTPField.Name] = []
        ) -> Reuse {
            Reuse(.target, while: validity, selectedBy: selectors)
        }

        /// The same for no more requests than those of `scope`.
        func limited(to scope: Scope) -> Reuse {
            Reuse(min(self.scope, scope), while: validity, selectedBy: selectors)
        }
    }

    /// The same with a changed head, and with its reuse limited to `limit`.
    package func withHead(
        reuse limit: Reuse.Scope = .path,
        _ change: @escaping @Sendable (inout HTTPResponse) -> Void
    ) -> ResponseStart {
        switch self {
        case .complete(var response, let source, let reuse):
            change(&response.head)
            return .complete(response, source, reuse.limited(to: limit))
        case .waiting(let rest):
            return .waiting { client in
                var response = await rest(client)
                change(&response.head)
                return response
            }
        }
    }

    /// The response, awaited if necessary.
    package func response(to client: ClientExchange = .none) async -> ServedResponse {
        switch self {
        case .complete(let response, let source, _): .complete(response, source)
        case .waiting(let rest): await rest(client)
        }
    }
}

/// How long a response may be sent again as it is: until a time, unless it is revoked before. A value type; safe to share
/// between threads.
public struct ResponseValidity: Sendable {
    /// The response isn't sent again from this time on.
    public let end: ContinuousClock.Instant
    /// Revoked when the response has been replaced or removed.
    public let revocation: any Revocable

    /// Creates a validity.
    ///
    /// - Parameters:
    ///   - end: Not later than the next change of a field of the response, such as `Age`.
    ///   - revocation: Says when the response has been replaced or removed.
    public init(until end: ContinuousClock.Instant, _ revocation: any Revocable) {
        self.end = end
        self.revocation = revocation
    }

    /// Whether the response may be sent.
    public var isCurrent: Bool { !revocation.isRevoked && ContinuousClock.now < end }
}

/// Says whether something that others keep has been replaced or removed. Read on event loops, so it takes no lock.
public protocol Revocable: Sendable {
    /// Whether it must not be used any more. Never becomes false again.
    var isRevoked: Bool { get }
}

/// Tells those who keep a response that it has been replaced or removed. Thread-safe; takes no lock.
public final class Revocation: Revocable {
    private let flag = Atomic(false)

    /// Not revoked.
    public init() {}

    /// Ends the use of everything that was given with this value, immediately and for good.
    public func revoke() { flag.store(true, ordering: .releasing) }

    /// Whether it has been revoked.
    public var isRevoked: Bool { flag.load(ordering: .acquiring) }
}
