import GRDB

extension Row {
    /// The value of a column, or nil when it doesn't have this type.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) -> Value? {
        (self[column] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
    }

    /// The text of a column, even if it is stored as bytes; nil for any other type.
    func text(_ column: String) -> String? { value(column) }

    /// The integer of a column, or nil when it is another type or out of bounds.
    func integer(_ column: String, in bounds: ClosedRange<Int64>) -> Int64? {
        guard case .int64(let value)? = (self[column] as DatabaseValue?)?.storage, bounds.contains(value) else {
            return nil
        }
        return value
    }
}
