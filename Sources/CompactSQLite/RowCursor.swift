import CSQLite

/// The rows of a running statement.
public final class RowCursor {
    private let statement: Statement
    private var isDone = false

    init(_ statement: Statement, _ arguments: StatementArguments) throws {
        self.statement = statement
        try statement.begin(arguments)
    }

    deinit {
        finish()
    }

    /// The next row; nil at the end.
    public func next() throws -> Row? {
        guard !isDone else { return nil }
        guard try statement.step() else {
            isDone = true
            return nil
        }
        return statement.row
    }

    func finish() {
        if !isDone { sqlite3_reset(statement.handle) }
        isDone = true
    }
}
