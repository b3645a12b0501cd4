import Foundation

@testable import BundleModel

/// The subset of JSON Schema 2020-12 that the manifest's schema uses. An unknown keyword is an error, so that every
/// keyword is checked.
struct JSONSchema {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct UnknownKeyword: Error {
        let keyword: String
    }

    let root: JSONObject

    init(_ json: [UInt8]) throws {
        root = try JSONSchema.object(JSONParser.parse(json))
    }

    /// Throws a ``Failure`` naming the first keyword that `value` violates.
    func validate(_ value: JSONValue) throws {
        try validate(value, root)
    }

    /// The schema below `keys`, references followed.
    func schema(at keys: String...) throws -> JSONObject {
        try keys.reduce(root) { schema, key in
            guard let next = schema[key] else { throw Failure(description: "the schema has no “\(key)”") }
            return try resolved(JSONSchema.object(next))
        }
    }

    static func object(_ value: JSONValue) throws -> JSONObject {
        guard case .object(let object) = value else { throw Failure(description: "not an object: \(value)") }
        return object
    }

    static func strings(_ value: JSONValue?) throws -> [String] {
        guard case .array(let values) = value else { throw Failure(description: "not a list") }
        return try values.map(string)
    }

    private static func string(_ value: JSONValue) throws -> String {
        guard case .string(let string) = value else { throw Failure(description: "not a string: \(value)") }
        return string
    }

    private func resolved(_ schema: JSONObject) throws -> JSONObject {
        guard let reference = schema["$ref"] else { return schema }
        let keys = try JSONSchema.string(reference).split(separator: "/").dropFirst()
        return try keys.reduce(root) { schema, key in
            guard let next = schema[String(key)] else { throw Failure(description: "no \(reference)") }
            return try JSONSchema.object(next)
        }
    }

    private func validate(_ value: JSONValue, _ schema: JSONObject) throws {
        for member in schema.members {
            guard try satisfies(value, member.key, member.value, schema) else {
                throw Failure(description: "\(value) breaks “\(member.key)”: \(member.value)")
            }
        }
    }

    private func isValid(_ value: JSONValue, _ schema: JSONValue) throws -> Bool {
        do {
            try validate(value, JSONSchema.object(schema))
            return true
        } catch is Failure {
            return false
        }
    }

    private func satisfies(
        _ value: JSONValue,
        _ keyword: String,
        _ argument: JSONValue,
        _ schema: JSONObject
    ) throws -> Bool {
        switch keyword {
        case "$schema", "$defs", "title", "description", "default", "examples": return true
        case "$ref": try validate(value, resolved(schema))
        case "type":
            guard case .array = argument else { return try value.kind == JSONSchema.kinds[JSONSchema.string(argument)] }
            return try JSONSchema.strings(argument).contains { value.kind == JSONSchema.kinds[$0] }
        case "enum":
            guard case .array(let values) = argument else { return false }
            return values.contains(value)
        case "minimum": return number(value) >= number(argument)
        case "maximum": return number(value) <= number(argument)
        case "minItems": return count(of: value) >= number(argument)
        case "pattern": return try matches(value, JSONSchema.string(argument))
        case "maxLength": return length(of: value) <= number(argument)
        case "maxItems", "maxProperties": return count(of: value) <= number(argument)
        case "anyOf":
            guard case .array(let schemas) = argument else { return false }
            return try schemas.contains { try isValid(value, $0) }
        case "not": return try !isValid(value, argument)
        case "required":
            guard case .object(let object) = value else { return true }
            return try JSONSchema.strings(argument).allSatisfy { object[$0] != nil }
        case "items":
            guard case .array(let elements) = value else { return true }
            for element in elements { try validate(element, JSONSchema.object(argument)) }
        case "properties", "propertyNames", "additionalProperties":
            guard case .object(let object) = value else { return true }
            if argument == .bool(false) {
                let known = try schema["properties"].map(JSONSchema.object)
                return object.members.allSatisfy { known?[$0.key] != nil }
            }
            for member in object.members { try validate(member, keyword, JSONSchema.object(argument), schema) }
        default: throw UnknownKeyword(keyword: keyword)
        }
        return true
    }

    private func validate(
        _ member: JSONObject.Member,
        _ keyword: String,
        _ argument: JSONObject,
        _ schema: JSONObject
    ) throws {
        switch keyword {
        case "properties": try argument[member.key].map { try validate(member.value, JSONSchema.object($0)) }
        case "propertyNames": try validate(.string(member.key), resolved(argument))
        default: try validate(member.value, resolved(argument))
        }
    }

    private static let kinds = [
        "string": "a string", "array": "a list", "object": "an object", "number": "a number", "integer": "a number",
        "boolean": "a boolean",
    ]

    private func matches(_ value: JSONValue, _ pattern: String) throws -> Bool {
        guard case .string(let string) = value else { return true }
        let range = NSRange(string.startIndex..., in: string)
        // Every pattern here is anchored at both ends. ICU's `$`, unlike ECMAScript's, also matches before a line feed at
        // the end, which a comparison of the whole range rules out.
        let match = try NSRegularExpression(pattern: pattern).firstMatch(in: string, range: range)
        return match?.range == range
    }

    private func count(of value: JSONValue) -> Int {
        switch value {
        case .array(let elements): elements.count
        case .object(let object): object.members.count
        default: 0
        }
    }

    private func length(of value: JSONValue) -> Int {
        if case .string(let string) = value { string.unicodeScalars.count } else { 0 }
    }

    private func number(_ value: JSONValue) -> Int {
        if case .number(let number) = value { Int(number.int64 ?? 0) } else { 0 }
    }
}
