import GRDB

/// The table `installation`: what tells this store from others.
struct InstallationTable {
    let connection: CatalogConnection

    /// What tells the installation from others, and the machine that it is on; nil when that isn't known.
    func recorded() throws -> (identifier: InstallationIdentifier, machine: String?)? {
        try connection.read(Self.recorded)
    }

    /// Returns the identifier that is recorded for a machine, or for one that isn't known; records `new` when there is none.
    func record(
        _ new: InstallationIdentifier,
        on machine: MachineFingerprint?
    ) throws -> InstallationIdentifier {
        try connection.write { database in
            var identifier = new
            if let recorded = try Self.recorded(in: database),
                machine == nil || recorded.machine == nil || recorded.machine == machine?.string
            {
                identifier = recorded.identifier
            }
            try database.execute(
                sql: "INSERT OR REPLACE INTO installation (only, identifier, machine) VALUES (1, ?, ?)",
                arguments: [identifier.string, machine?.string]
            )
            return identifier
        }
    }

    func forget() throws {
        try connection.write { try $0.execute(sql: "DELETE FROM installation") }
    }

    private static func recorded(
        in database: Database
    ) throws -> (identifier: InstallationIdentifier, machine: String?)? {
        let row = try Row.fetchOne(database, sql: "SELECT identifier, machine FROM installation WHERE only = 1")
        return row?.text("identifier").flatMap(InstallationIdentifier.init).map { ($0, row?.text("machine")) }
    }
}
