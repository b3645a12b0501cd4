import CompactFoundation

/// A value in a column.
public struct DatabaseValue: Hashable, Sendable {
    /// A value by its type.
    public enum Storage: Hashable, Sendable {
        case null
        case int64(Int64)
        case double(Double)
        case string(String)
        case blob(Data)
    }

    public let storage: Storage

    /// The absence of a value.
    public static let null = DatabaseValue(storage: .null)
}

/// A type that columns can have.
public protocol DatabaseValueConvertible {
    var databaseValue: DatabaseValue { get }

    /// Nil for a value of another type.
    static func fromDatabaseValue(_ value: DatabaseValue) -> Self?
}

extension DatabaseValue: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { self }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
}

extension Int64: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self)) }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Int64? {
        switch value.storage {
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }
}

extension Int: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { Int64(self).databaseValue }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Int? {
        Int64.fromDatabaseValue(value).flatMap(Int.init(exactly:))
    }
}

extension Int32: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { Int64(self).databaseValue }
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Int32? {
        Int64.fromDatabaseValue(value).flatMap(Int32.init(exactly:))
    }
}

extension Bool: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { Int64(self ? 1 : 0).databaseValue }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
        switch value.storage {
        case .int64(let number): number != 0
        case .double(let number): number != 0
        default: nil
        }
    }
}

extension Double: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
        switch value.storage {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}

extension String: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .string(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }
}

extension Data: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
        switch value.storage {
        case .blob(let bytes): bytes
        case .string(let text): Data(text.utf8)
        default: nil
        }
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    public static func fromDatabaseValue(_ value: DatabaseValue) -> Wrapped?? {
        value == .null ? .some(nil) : Wrapped.fromDatabaseValue(value).map(Optional.some)
    }
}
