import GRDB

extension Row {
    /// What is in a column, or nil when that is nothing of this type.
    func value<Value: DatabaseValueConvertible>(_ column: String, as type: Value.Type = Value.self) -> Value? {
        (self[column] as DatabaseValue?).flatMap(Value.fromDatabaseValue)
    }

    /// The text in a column, or nil when there is something else.
    func text(_ column: String) -> String? { value(column) }
}
