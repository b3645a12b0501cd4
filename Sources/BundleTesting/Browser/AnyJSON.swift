/// Any JSON value (RFC 8259). A value type; safe to share between threads.
package enum AnyJSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([AnyJSON])
    /// An object.
    case object([String: AnyJSON])

    /// The member `key` of an object, or nil.
    package subscript(key: String) -> AnyJSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The string, or nil when it is something else.
    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number when it is an integer, or nil.
    package var integer: Int? {
        if case .number(let number) = self { Int(exactly: number) } else { nil }
    }

    /// The elements, or nil when it is something else.
    package var array: [AnyJSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}

extension AnyJSON: Codable {
    /// Reads a value.
    ///
    /// - Throws: `DecodingError` for invalid JSON.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let elements = try? container.decode([AnyJSON].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }

    /// Writes the value.
    ///
    /// - Throws: `EncodingError` for a number that isn't finite.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension AnyJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// `true` or `false`.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension AnyJSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// An array.
    package init(arrayLiteral elements: AnyJSON...) { self = .array(elements) }
    /// An object; the last of several members with the same name counts.
    package init(dictionaryLiteral elements: (String, AnyJSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
