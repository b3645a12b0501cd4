import BundleModel

/// Documents of which not all members are known here.
extension JSONValue {
    /// An object with these members.
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map(JSONObject.Member.init)))
    }

    /// An integer.
    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(Int64(value))) }

    /// The members of an object; none of anything else.
    var members: [JSONObject.Member] { if case .object(let object) = self { object.members } else { [] } }

    /// The elements of a list; none of anything else.
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// The string; nil for anything else.
    var text: ExactString? { if case .string(let text) = self { ExactString(text) } else { nil } }

    /// A member of an object; null where there is none.
    subscript(name: ExactString) -> JSONValue { members.first { ExactString($0.key) == name }?.value ?? .null }

    /// The object with another value of a member, in its place or at the end.
    func setting(_ name: ExactString, to value: JSONValue) -> JSONValue {
        let member = JSONObject.Member(name.string, value)
        let isNew = !members.contains { ExactString($0.key) == name }
        let changed = members.map { ExactString($0.key) == name ? member : $0 }
        return .object(JSONObject(changed + (isNew ? [member] : [])))
    }
}
