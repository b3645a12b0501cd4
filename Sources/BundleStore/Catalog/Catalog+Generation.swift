import GRDB

/// The number that shows changes to other processes. It has no digest: any number that differs from the one before
/// serves.
extension Catalog {
    /// More than any store reaches. A higher number is damage: it could not increase without end.
    private static let maximumGeneration: Int64 = 1 << 48
    /// Stands for a generation that is damaged or missing; never written.
    private static let damagedGeneration: Int64 = -1

    static func generation(in database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: "SELECT value FROM generation WHERE only = 1")?
            .integer("value", in: 0...maximumGeneration) ?? damagedGeneration
    }

    /// Counts a change. An invalid number is replaced by a random one: what readers saw before the damage is unknown.
    static func raiseGeneration(in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO generation VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET
                value = iif(typeof(value) = 'integer' AND value BETWEEN 0 AND ?, value + 1, excluded.value)
                """,
            arguments: [Int64(UInt32.random(in: .min ... .max)), maximumGeneration - 1]
        )
    }

    func isGenerationDamaged() throws -> Bool { try read(Self.isGenerationDamaged) }

    private static func isGenerationDamaged(in database: Database) throws -> Bool {
        try generation(in: database) == damagedGeneration
            || Int.fetchOne(database, sql: "SELECT count(*) FROM generation") != 1
    }

    /// Replaces a damaged generation. Writes only if it is damaged.
    func repairGeneration() throws -> [RepairReport.Repaired] {
        guard try isGenerationDamaged() else { return [] }
        return try change { database in
            try database.execute(sql: "DELETE FROM generation WHERE only <> 1")
            return [RepairReport.Repaired(repaired: "the number of the catalog's changes")]
        }
    }
}
