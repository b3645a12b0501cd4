/// A JSON value (RFC 8259). Numbers keep their digits and objects the order of their members, so that what isn't
/// understood can be written back as it was.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// What the value is, as a message says it: “a string”.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// A JSON number as it was written: any length, any precision (RFC 8259 §6).
package struct JSONNumber: Equatable, Sendable {
    /// The number's text, for example `-1.5e3`.
    package let text: String

    /// Takes text that the parser found well-formed.
    init(wellFormed text: String) {
        self.text = text
    }

    /// Writes `value` in digits.
    package init(_ value: Int64) {
        text = String(value)
    }

    /// The number when it is written without fraction and exponent and fits 64 bits, else nil.
    package var int64: Int64? { Int64(text) }
}

/// The members of a JSON object, in the order in which they were written.
package struct JSONObject: Equatable, Sendable {
    /// A name and its value.
    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSONValue

        package init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The members; no key appears twice when the parser made the object.
    package let members: [Member]

    package init(_ members: [Member]) {
        self.members = members
    }

    /// The value of `key`, or nil. Takes time linear in the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }
}
