import HTTPCore
import HTTPTypes

/// What a 401 of a registry asks for: a challenge of `WWW-Authenticate` (RFC 9110 §11.6.1). Pure; a value type, safe to share between
/// threads.
struct RegistryChallenge: Equatable, Sendable {
    /// In lower case.
    let scheme: String
    /// By their names in lower case; of two of a name, the first counts.
    private(set) var parameters: [String: String] = [:]

    init(scheme: String, _ parameters: [String: String] = [:]) {
        (self.scheme, self.parameters) = (scheme, parameters)
    }

    /// The challenges in their order. A malformed line ends with what was understood of it.
    static func all(in fields: HTTPFields) -> [RegistryChallenge] {
        fields[values: .wwwAuthenticate].flatMap(challenges)
    }

    private static func challenges(in line: String) -> [RegistryChallenge] {
        var scanner = FieldScanner(line)
        var challenges: [RegistryChallenge] = []
        while true {
            _ = scanner.take { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard let token = scanner.token() else { return challenges }
            let name = String(decoding: token, as: UTF8.self).lowercased()
            var behind = scanner
            behind.skipWhitespace()
            guard behind.take("=") else {
                challenges.append(RegistryChallenge(scheme: name))
                continue
            }
            behind.skipWhitespace()
            guard let value = behind.quotedString() ?? behind.token().map({ String(decoding: $0, as: UTF8.self) }),
                let last = challenges.indices.last
            else { return challenges }
            scanner = behind
            if challenges[last].parameters[name] == nil { challenges[last].parameters[name] = value }
        }
    }
}

/// What a registry's access tokens permit, as its token service has it (distribution, “Token Scope Documentation”).
package enum RegistryAccess: String, Sendable {
    case pull
    case pullAndPush = "pull,push"
}
