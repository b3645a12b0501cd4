import BundleModel
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization

/// Gets the tokens for a repository of a registry, and keeps them until they expire. The credential goes to the registry, and to the token
/// service that it names; nothing of it is in errors. Thread-safe.
final class RegistryAuthorization: Sendable {
    /// How long a response of a token service may be in bytes.
    private static let maximumByteCount = 128 << 10
    /// How long a token is used in seconds, at least and at most. The least is also what the specification has where a service doesn't
    /// say it (distribution, “Token Authentication Specification”).
    private static let lifetimes: ClosedRange<TimeInterval> = 60...24 * 3_600

    private struct Kept: Sendable {
        let fieldValue: String
        let end: Date
    }

    private let reference: OCIReference
    private let access: RegistryAccess
    private let transport: any OriginTransport
    private let credential: OCIClient.CredentialSource
    private let now: @Sendable () -> Date
    /// By scope: a registry may ask for another one than that of the repository.
    private let kept = Mutex<[String: Kept]>([:])
    private let latestScope = Mutex<String?>(nil)

    init(
        _ reference: OCIReference,
        _ access: RegistryAccess,
        over transport: any OriginTransport,
        credential: @escaping OCIClient.CredentialSource,
        now: @escaping @Sendable () -> Date
    ) {
        (self.reference, self.access, self.transport) = (reference, access, transport)
        (self.credential, self.now) = (credential, now)
    }

    /// The value of `Authorization` that the registry has accepted last; nil for none, and when it has expired.
    var current: String? {
        guard let scope = latestScope.withLock({ $0 }) else { return nil }
        return token(of: scope)
    }

    private func token(of scope: String) -> String? {
        let now = now()
        return kept.withLock { kept in kept[scope].flatMap { $0.end > now ? $0.fieldValue : nil } }
    }

    private func keep(_ value: String, of scope: String, until end: Date) {
        kept.withLock { $0[scope] = Kept(fieldValue: value, end: end) }
        latestScope.withLock { $0 = scope }
    }

    /// Gets what a 401 asks for.
    ///
    /// - Parameters:
    ///   - fields: Those of the 401.
    ///   - rejected: What the request had; nil for nothing.
    /// - Returns: Whether there is something else to send.
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the token service can't be reached, isn't one, or doesn't
    ///   know the credential; and what the source of the credential throws.
    func renew(by fields: HTTPFields, rejected: String?) async throws -> Bool {
        let challenges = RegistryChallenge.all(in: fields)
        if let challenge = challenges.first(where: { $0.scheme == "bearer" }) {
            let scope = challenge.parameters["scope"] ?? "repository:\(reference.repository):\(access.rawValue)"
            // Another request has got one meanwhile.
            if let token = token(of: scope), token != rejected { return true }
            let (token, lifetime) = try await requestToken(challenge, scope)
            keep("Bearer \(token)", of: scope, until: now() + lifetime)
            return true
        }
        guard challenges.contains(where: { $0.scheme == "basic" }),
            case .basic(let basic)? = try await credential(reference),
            basic.fieldValue != rejected
        else { return false }
        keep(basic.fieldValue, of: "", until: .distantFuture)
        return true
    }

    private func requestToken(
        _ challenge: RegistryChallenge,
        _ scope: String
    ) async throws -> (token: String, lifetime: TimeInterval) {
        let service = challenge.parameters["service"]
        let realm = try realm(challenge)
        var call: OriginCall
        switch try await credential(reference) {
        case .identityToken(let token)?:
            let form = Self.form([
                ("grant_type", "refresh_token"), ("client_id", "offline-bundles"), ("service", service),
                ("scope", scope),
                ("refresh_token", token),
            ])
            call = OriginCall(Self.request(.post, realm))
            call.request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            call.request.headerFields[.contentLength] = String(form.utf8.count)
            call.content = BodyStream(Array(form.utf8))
        case .basic(let basic)?:
            call = OriginCall(Self.request(.get, realm, Self.form([("service", service), ("scope", scope)])))
            call.request.headerFields[.authorization] = basic.fieldValue
        case nil: call = OriginCall(Self.request(.get, realm, Self.form([("service", service), ("scope", scope)])))
        }
        let response = try await transport.send(call)
        switch response.head.status.code {
        case 200: break
        case 400, 401, 403:
            throw BundleError(
                .networkUnavailable,
                "\(realm.origin) gives no access to \(reference): it responded with \(response.head.status.code)",
                .logIn(reference.registry),
                cause: UnexpectedResponse(head: response.head)
            )
        case let code:
            throw BundleError(
                .networkUnavailable,
                "\(realm.origin), which gives access to \(reference), responded with \(code); try again later",
                cause: UnexpectedResponse(head: response.head)
            )
        }
        return try await read(response, from: realm)
    }

    private func read(
        _ response: OriginResponse,
        from realm: OriginTarget
    ) async throws -> (token: String, lifetime: TimeInterval) {
        let bytes = try await response.body.bytes(atMost: Self.maximumByteCount)
        guard let bytes, let grant = try? JSONDecoder().decode(TokenResponse.self, from: Data(bytes)),
            let token = grant.token ?? grant.accessToken, !token.isEmpty,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw BundleError(
                .networkUnavailable,
                "\(realm.origin), which gives access to \(reference), responded with something that has no token; check the registry"
            )
        }
        let lifetime = grant.lifetime ?? 0
        return (token, min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound))
    }

    private struct TokenResponse: Decodable {
        let token: String?
        /// The name in OAuth 2.0.
        let accessToken: String?
        let lifetime: Double?

        private enum CodingKeys: String, CodingKey {
            case token
            case accessToken = "access_token"
            case lifetime = "expires_in"
        }
    }

    /// The token service, which gets the credential: over https, or on the machine itself for a registry there.
    private func realm(_ challenge: RegistryChallenge) throws(BundleError) -> OriginTarget {
        let text = challenge.parameters["realm"] ?? ""
        guard let target = OriginTarget(text),
            target.scheme == "https" || (reference.isLoopback && Self.isLoopback(target))
        else {
            throw BundleError(
                .networkUnavailable,
                "\(reference) names “\(URL.reported(text))” for tokens, which gets no credentials: it isn't an https URL; check "
                    + "the registry"
            )
        }
        return target
    }

    private static func isLoopback(_ target: OriginTarget) -> Bool {
        (try? HTTPURL(target.origin)).flatMap { NetworkScope(ofHost: $0.host) } == .loopback
    }

    private static func request(_ method: HTTPRequest.Method, _ target: OriginTarget, _ query: String? = nil)
        -> HTTPRequest
    {
        let separator = target.path.contains("?") ? "&" : "?"
        let path = target.path + (query.map { separator + $0 } ?? "")
        return HTTPRequest(
            method: method,
            scheme: target.scheme,
            authority: target.authority,
            path: path,
            headerFields: [.accept: "application/json", .acceptEncoding: "identity"]
        )
    }

    private static func form(_ parts: [(name: String, value: String?)]) -> String {
        parts.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode(component: $0))" } }.joined(
            separator: "&"
        )
    }
}

extension BodyStream {
    /// All of it; nil when it is longer.
    func bytes(atMost limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        for try await chunk in self {
            guard bytes.count + chunk.count <= limit else { return nil }
            bytes += chunk
        }
        return bytes
    }
}
