/// Values of `Set-Cookie` that were joined with commas, which RFC 9110 §5.3 advises against.
enum SetCookieList {
    /// The values one by one. A comma separates two where a name with an equals sign follows; in a date it doesn't.
    static func values(in joined: String) -> [String] {
        var (values, start) = ([String](), joined.startIndex)
        var rest = joined[...]
        while let comma = rest.firstIndex(of: ",") {
            rest = joined[joined.index(after: comma)...]
            guard beginsCookie(rest) else { continue }
            values.append(joined[start..<comma].trimmed)
            start = rest.startIndex
        }
        values.append(joined[start...].trimmed)
        return values.filter { !$0.isEmpty }
    }

    private static func beginsCookie(_ text: Substring) -> Bool {
        let name = text.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" && $0 != "," && $0 != " " }
        return !name.isEmpty && name.endIndex < text.endIndex && text[name.endIndex] == "="
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
