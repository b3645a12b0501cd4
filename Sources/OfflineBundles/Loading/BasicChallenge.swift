import HTTPTypes

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
