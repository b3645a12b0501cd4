import GRDB

/// The number that shows changes to other processes. It has no digest: any number that differs from the one before
/// serves.
enum CatalogGeneration {
    /// More than any store reaches. A higher number is damage: it could not increase without end.
    private static let maximum: Int64 = 1 << 48
    /// Stands for a generation that is damaged or missing; never written.
    private static let damaged: Int64 = -1

    static func value(in database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: "SELECT value FROM generation WHERE only = 1")?
            .integer("value", in: 0...maximum) ?? damaged
    }

    /// Counts a change. An invalid number is replaced by a random one: what readers saw before the damage is unknown.
    static func raise(in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO generation VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET
                value = iif(typeof(value) = 'integer' AND value BETWEEN 0 AND ?, value + 1, excluded.value)
                """,
            arguments: [Int64(UInt32.random(in: .min ... .max)), maximum - 1]
        )
    }

    static func isDamaged(in database: Database) throws -> Bool {
        try value(in: database) == damaged
            || Int.fetchOne(database, sql: "SELECT count(*) FROM generation") != 1
    }
}
