/// A start tag. A value type.
struct HTMLTag {
    /// In lower case.
    let name: String
    /// By name in lower case; of several with one name the first counts (WHATWG HTML §13.2.5.33).
    let attributes: [String: String]
    let line: Int

    subscript(_ name: String) -> String? { attributes[name] }
}
