/// A JSON value (RFC 8259). Numbers keep their digits and objects the order of their members, so that unknown values
/// can be written back unchanged.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The kind of value, as worded in messages: “a string”.
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

/// A JSON number as written: any length, any precision (RFC 8259 §6).
package struct JSONNumber: Equatable, Sendable {
    /// The number's text, for example `-1.5e3`.
    package let text: String

    /// Creates a number from text that the parser found well-formed.
    init(wellFormed text: String) {
        self.text = text
    }

    /// Writes `value` in digits.
    package init(_ value: Int64) {
        text = String(value)
    }

    /// Writes a finite `value` in decimals, as short as it can be read back.
    package init(_ value: Double) {
        text = value.isFinite ? "\(value)" : "0"
    }

    /// The number, if it is written without fraction and exponent and fits in 64 bits; otherwise nil.
    package var int64: Int64? { Int64(text) }
}

/// The members of a JSON object, in the order written.
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

    /// The members; no key appears twice if the parser created the object.
    package let members: [Member]

    package init(_ members: [Member]) {
        self.members = members
    }

    /// The value of `key`, or nil. Takes time linear in the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }
}
