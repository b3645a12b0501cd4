/// The URLs of a `srcset` (WHATWG HTML §4.8.4.2.3).
enum SourceSet {
    static func urls(_ text: String) -> [String] {
        var urls: [String] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard !rest.isEmpty else { return urls }
            let candidate = rest.prefix { !$0.isWhitespace }
            rest = rest[candidate.endIndex...]
            let url = candidate.reversed().drop { $0 == "," }.reversed()
            urls.append(String(url))
            // A comma at the URL's end is the end of the candidate; otherwise descriptors follow.
            if url.count == candidate.count { rest = descriptors(rest) }
        }
    }

    /// What follows the descriptors, whose parentheses may have commas.
    private static func descriptors(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "(": depth += 1
            case ")": depth = max(depth - 1, 0)
            case "," where depth == 0: return text[text.index(after: index)...]
            default: break
            }
        }
        return text[text.endIndex...]
    }
}
