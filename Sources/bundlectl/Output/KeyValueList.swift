/// Labelled values, one per line, with the values aligned.
enum KeyValueList {
    static func lines(_ pairs: [(String, String?)]) -> [String] {
        let width = pairs.filter { $0.1 != nil }.map(\.0.count).max() ?? 0
        return pairs.compactMap { label, value in
            value.map { "\(label)\(String(repeating: " ", count: width + 2 - label.count))\($0)" }
        }
    }
}
