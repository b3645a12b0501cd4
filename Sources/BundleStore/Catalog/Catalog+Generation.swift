import GRDB

/// The number that tells other processes of changes. It has no digest: any other number than the one before does its work.
extension Catalog {
    /// More than any store comes to. A higher number is damage: it couldn't rise for ever.
    private static let maximumGeneration: Int64 = 1 << 48
    /// What counts for a generation that is damaged or missing, and is written by nobody.
    private static let damagedGeneration: Int64 = -1

    static func generation(in database: Database) throws -> Int64 {
        try Row.fetchOne(database, sql: "SELECT value FROM generation WHERE only = 1")?
            .integer("value", in: 0...maximumGeneration) ?? damagedGeneration
    }

    /// Counts a change. A number that can't be right is replaced by a random one: it isn't known what readers saw before it was damaged.
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

    /// Replaces a damaged generation. Writes only when it is damaged.
    func repairGeneration() throws -> [RepairReport.Repaired] {
        guard try isGenerationDamaged() else { return [] }
        return try change { database in
            try database.execute(sql: "DELETE FROM generation WHERE only <> 1")
            return [RepairReport.Repaired(repaired: "the number of the catalog's changes")]
        }
    }
}
