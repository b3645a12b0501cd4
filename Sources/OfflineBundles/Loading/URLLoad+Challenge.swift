import BundleEmbedding
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Challenges of the origin, to which the session's delegate responds, or its credential storage.
extension URLLoad {
    func respond(to challenge: BasicChallenge, _ response: ServedResponse) {
        guard let url = request.url, let host = url.host(), let owner, content.canBeSent || session != nil else {
            return deliver(response)
        }
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
        askAgain { self.deliver(response) }
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

/// What a 401 asks for, as far as it can be given: a user and a password (RFC 7617). A value type.
struct BasicChallenge: Equatable {
    let realm: String?

    /// - Returns: Nil when the response is another one, or asks for other schemes only.
    init?(_ response: HTTPResponse) {
        guard response.status == .unauthorized, let name = HTTPField.Name("WWW-Authenticate") else { return nil }
        for value in response.headerFields[values: name] {
            guard let parameters = Self.parameters(of: "basic", in: value) else { continue }
            realm = parameters
            return
        }
        return nil
    }

    /// The realm of the first challenge of a scheme in a list of challenges (RFC 9110 §11.6.1); the outer optional is nil when
    /// there is none.
    private static func parameters(of scheme: String, in value: String) -> String?? {
        var isWanted = false
        for element in elements(of: value) {
            let words = element.split(separator: " ", maxSplits: 1)
            var parameter = element[...]
            // An element that begins with a token and a space begins a challenge, as does a token alone.
            if let first = words.first, !first.contains("="), words.count == 2 || !element.contains("=") {
                if isWanted { return .some(nil) }
                isWanted = first.lowercased() == scheme
                parameter = words.count == 2 ? words[1] : ""
            }
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if isWanted, parts.count == 2, parts[0].lowercased().filter({ $0 != " " }) == "realm" {
                return .some(unquoted(parts[1].drop { $0 == " " }))
            }
        }
        return isWanted ? .some(nil) : nil
    }

    /// What is between commas that aren't in a quoted string.
    private static func elements(of value: String) -> [String] {
        var (elements, isQuoted, isEscaped) = ([""], false, false)
        for character in value {
            if !isQuoted, character == "," {
                elements.append("")
                continue
            }
            if !isEscaped, character == "\"" { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && character == "\\"
            elements[elements.count - 1].append(character)
        }
        return elements.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.first == "\"" else { return String(text) }
        var (result, isEscaped) = ("", false)
        for character in text.dropFirst() {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                break
            } else {
                result.append(character)
            }
        }
        return result
    }
}

extension URLCredentialStorage {
    /// The credential for a protection space, compared by its properties: on Linux two equal ones are different keys.
    func credential(for space: URLProtectionSpace) -> URLCredential? {
        if let credential = defaultCredential(for: space) { return credential }
        return stored(space).flatMap { space in
            defaultCredential(for: space) ?? credentials(for: space)?.min { $0.key < $1.key }?.value
        }
    }

    /// Makes a credential the default one of a protection space.
    func keep(_ credential: URLCredential, for space: URLProtectionSpace) {
        setDefaultCredential(credential, for: stored(space) ?? space)
    }

    private func stored(_ space: URLProtectionSpace) -> URLProtectionSpace? {
        allCredentials.keys.first { other in
            other.host == space.host && other.port == space.port && other.protocol == space.protocol
                && other.realm == space.realm && other.authenticationMethod == space.authenticationMethod
                && other.isProxy() == space.isProxy()
        }
    }
}
