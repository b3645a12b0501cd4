import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Challenges of the origin, to which the session's delegate responds, or its credential storage.
extension URLLoad {
    func respond(to challenge: BasicChallenge, _ response: ServedResponse) {
        guard let url = request.url, let host = url.host(), let owner else { return deliver(response) }
        let space = URLProtectionSpace(
            host: host,
            port: url.port ?? (url.scheme == "https" ? 443 : 80),
            protocol: url.scheme,
            realm: challenge.realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        let proposed =
            credentialCount == 0 ? ownCredential(url) ?? settings.credentials?.credential(for: space) : nil
        let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            disposition,
            credential in
            self.place.run {
                guard self.isRunning else { return }
                switch disposition {
                case .useCredential: self.send(credential, in: space, otherwise: response)
                case .performDefaultHandling: self.send(proposed, in: space, otherwise: response)
                case .cancelAuthenticationChallenge: self.fail(LoadingFailure.error(.cancelled, url))
                default: self.deliver(response)
                }
            }
        }
        let question = URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: credentialCount,
            failureResponse: FinalResponse.make(response.head, for: url),
            error: nil,
            sender: ChallengeSender(decide)
        )
        if let session {
            session.respond(to: question, decide)
        } else {
            owner.client?.urlProtocol(owner, didReceive: question)
        }
    }

    /// What the URL itself says (RFC 3986 §3.2.1).
    private func ownCredential(_ url: URL) -> URLCredential? {
        guard let user = url.user(percentEncoded: false), let password = url.password(percentEncoded: false) else {
            return nil
        }
        return URLCredential(user: user, password: password, persistence: .none)
    }

    private func send(_ credential: URLCredential?, in space: URLProtectionSpace, otherwise response: ServedResponse) {
        guard let credential, let user = credential.user, let password = credential.password, !user.contains(":"),
            credentialCount < 16
        else { return deliver(response) }
        credentialCount += 1
        self.credential = (credential, space)
        let value = Data("\(user):\(password)".utf8).base64EncodedString()
        request.setValue("Basic \(value)", forHTTPHeaderField: "Authorization")
        ask()
    }

    /// Keeps a credential that has been accepted, as long as it says.
    func keepCredential(_ head: HTTPResponse) {
        guard let credential, head.status != .unauthorized, credential.credential.persistence != .none else { return }
        settings.credentials?.keep(credential.credential, for: credential.space)
    }
}

/// Takes the decision of a client that calls the sender of the challenge.
private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    init(_ decide: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {
        self.decide = decide
    }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        decide(.useCredential, credential)
    }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { decide(.rejectProtectionSpace, nil) }
    func cancel(_ challenge: URLAuthenticationChallenge) { decide(.cancelAuthenticationChallenge, nil) }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { decide(.performDefaultHandling, nil) }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        decide(.rejectProtectionSpace, nil)
    }
}
