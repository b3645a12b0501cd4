import GRDB

extension Row {
    /// The text in a column, or nil when there is something else.
    func text(_ column: String) -> String? {
        (self[column] as DatabaseValue?).flatMap(String.fromDatabaseValue)
    }
}
