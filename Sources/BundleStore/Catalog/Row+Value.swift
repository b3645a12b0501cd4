import GRDB

extension Row {
    /// What is in a column, or nil when that is nothing of this type.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) -> Value? {
        (self[column] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
    }

    /// The text in a column, or that which its bytes spell; nil when there is something else.
    func text(_ column: String) -> String? { value(column) }

    /// The integer in a column, or nil when there is something else, or one out of bounds.
    func integer(_ column: String, in bounds: ClosedRange<Int64>) -> Int64? {
        guard case .int64(let value)? = (self[column] as DatabaseValue?)?.storage, bounds.contains(value) else {
            return nil
        }
        return value
    }
}
