/// The result of `schedule`.
struct ScheduleSummary: Report {
    /// A unit.
    struct Unit: Encodable {
        let name: String
        let text: String
    }

    /// The line of a crontab; nil for systemd.
    let crontab: String?
    /// The units; nil for cron.
    let units: [Unit]?
    /// The folder into which they were written; nil when they are only printed.
    let folder: String?

    init(crontab: String) {
        (self.crontab, units, folder) = (crontab, nil, nil)
    }

    init(_ files: [SystemdUnits.File], folder: String?) {
        crontab = nil
        units = files.map { Unit(name: $0.name, text: $0.text) }
        self.folder = folder
    }

    var lines: [String] {
        if let crontab { return [crontab] }
        let units = units ?? []
        if let folder { return units.map { "wrote \(folder)/\($0.name)" } }
        // As systemctl cat prints them.
        return units.flatMap {
            ["# \($0.name)"] + $0.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        .dropLast()
    }
}
