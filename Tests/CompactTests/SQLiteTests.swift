import BundleTesting
import CompactSQLite
import GRDB
import Testing

@Suite("SQLite in place of GRDB's")
struct SQLiteTests {
    @Test("reads what GRDB has written, and GRDB what it has written")
    func values() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: "database")
            let theirs = try GRDB.DatabaseQueue(path: path)
            try theirs.write { try $0.execute(sql: Self.table, arguments: [1, 2.5, "text", nil]) }
            let ours = try CompactSQLite.DatabaseQueue(path: path)
            try ours.write { database in
                try database.execute(sql: "INSERT INTO t VALUES (?, ?, ?, ?)", arguments: [3, 4.5, "zwölf", nil])
                #expect(database.changesCount == 1)
            }
            let rows = try ours.read { try CompactSQLite.Row.fetchAll($0, sql: "SELECT * FROM t ORDER BY a") }
            #expect(try rows.map { try $0.decode(Int64.self, forColumn: "a") } == [1, 3])
            #expect(try rows.map { try $0.decode(Double.self, forColumn: "B") } == [2.5, 4.5])
            #expect(try rows.map { try $0.decode(String?.self, forColumn: "d") } == [nil, nil])
            #expect(throws: CompactSQLite.RowDecodingError.self) { try rows[0].decode(Int64.self, forColumn: "c") }
            #expect(throws: CompactSQLite.RowDecodingError.self) { try rows[0].decode(Int64.self, forColumn: "x") }
            #expect(try theirs.read { try String.fetchAll($0, sql: "SELECT c FROM t ORDER BY a") } == ["text", "zwölf"])
        }
    }

    @Test("undoes a transaction that throws, and has GRDB's words for what SQLite refuses")
    func failures() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: "database")
            let (theirs, ours) = (try GRDB.DatabaseQueue(path: path), try CompactSQLite.DatabaseQueue(path: path))
            try theirs.write { try $0.execute(sql: Self.table, arguments: [1, 2, 3, 4]) }
            let sql = "INSERT INTO t VALUES (1, 2, 3, 4)"
            let expected = #expect(throws: GRDB.DatabaseError.self) { try theirs.write { try $0.execute(sql: sql) } }
            let found = #expect(throws: CompactSQLite.DatabaseError.self) {
                try ours.write { database in
                    try database.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (1, 1, 1, 1)")
                    try database.execute(sql: sql)
                }
            }
            #expect(found?.resultCode.rawValue == expected?.resultCode.rawValue)
            #expect(found?.extendedResultCode.rawValue == expected?.extendedResultCode.rawValue)
            #expect(found?.message == expected?.message)
            #expect(found?.description == expected?.description)
            #expect(try ours.read { try Int.fetchAll($0, sql: "SELECT b FROM t") } == [2])
            #expect(throws: CompactSQLite.DatabaseError.self) {
                try ours.write { try $0.execute(sql: "SELECT ?", arguments: [1, 2]) }
            }
        }
    }

    @Test("makes the migrations that are missing, in GRDB's table")
    func migrations() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path(of: "database")
            var theirs = GRDB.DatabaseMigrator()
            theirs.registerMigration("1") { try $0.execute(sql: "CREATE TABLE a (x)") }
            try theirs.migrate(GRDB.DatabaseQueue(path: path))
            let queue = try CompactSQLite.DatabaseQueue(path: path)
            var ours = CompactSQLite.DatabaseMigrator()
            ours.registerMigration("1") { _ in Issue.record("it was made already") }
            ours.registerMigration("2", foreignKeyChecks: .immediate) { try $0.execute(sql: "CREATE TABLE b (x)") }
            try ours.migrate(queue)
            try ours.migrate(queue)
            #expect(try queue.read(ours.appliedMigrations) == ["1", "2"])
            theirs.registerMigration("2") { _ in }
            #expect(try GRDB.DatabaseQueue(path: path).read(theirs.completedMigrations) == ["1", "2"])
        }
    }

    private static let table = """
        CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL, c TEXT, d BLOB); -- a comment
        INSERT INTO t VALUES (?, ?, ?, ?)
        """
}
