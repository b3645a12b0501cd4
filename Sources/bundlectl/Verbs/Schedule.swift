import ArgumentParser
import BundleStore
import Foundation

struct Schedule: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Print what makes systemd or cron update the bundles.",
        discussion: """
            With --systemd, a service and a timer, for a service manager that runs as root, or with --user for that of \
            a user. --to writes them into a folder. With --cron, a line for crontab -e. Options and names for update \
            come after --.

            Examples:
              sudo bundlectl schedule --systemd --to /etc/systemd/system && sudo systemctl enable --now \
              bundlectl-update.timer
              bundlectl schedule --systemd --user --to ~/.config/systemd/user
              bundlectl schedule --cron --every 1h -- shop --keep 2
            """
    )

    @Flag(help: "Print a service and a timer for systemd.")
    var systemd = false

    @Flag(help: "Print a line for a crontab.")
    var cron = false

    @Flag(help: "The units are for a user's own service manager.")
    var user = false

    @Option(
        help: ArgumentHelp("How often: 5m, 15m, 1h, 6h, 1d; what divides an hour or a day.", valueName: "interval")
    )
    var every = UpdateInterval.quarterHour

    @Option(name: .customLong("to"), help: ArgumentHelp("Write the units into this folder.", valueName: "dir"))
    var folder: String?

    @Argument(parsing: .postTerminator, help: "Names and options of update, after --.")
    var further: [String] = []

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard systemd != cron else {
            throw ValidationError("give one of --systemd and --cron, as in bundlectl schedule --systemd")
        }
        if cron, user || folder != nil { throw ValidationError("--user and --to go with --systemd") }
        do {
            _ = try Update.parse(further)
        } catch {
            throw ValidationError("after --: \(Update.message(for: error))")
        }
    }

    func run() throws {
        let update = try scheduledUpdate()
        guard systemd else {
            return try output.console.report(ScheduleSummary(crontab: Self.crontab(update)))
        }
        // systemd refuses them in the name of a program, however they are quoted.
        guard !update.program.contains(where: { "\"'\\".contains($0) }) else {
            throw BundleError(
                .invalidArgument,
                "systemd runs no program whose path has quotes or a backslash, such as \(update.program); move it"
            )
        }
        let units = SystemdUnits(update: update, isForUser: user, user: user ? nil : owner(of: update.store))
        if let folder {
            for file in units.files { try write(file, into: folder) }
        }
        try output.console.report(ScheduleSummary(units.files, folder: folder))
    }

    /// The line of a crontab.
    static func crontab(_ update: ScheduledUpdate) -> String {
        let words = [update.program] + update.arguments + ["--random-delay", update.interval.text]
        return "\(update.interval.crontab) \(words.map(CrontabQuoting.word).joined(separator: " "))"
    }

    private func scheduledUpdate() throws -> ScheduledUpdate {
        let update = ScheduledUpdate(
            program: Bundle.main.executableURL?.path ?? CommandLine.arguments[0],
            store: URL(fileURLWithPath: store.path(environment: ProcessInfo.processInfo.environment)).path,
            interval: every,
            further: further
        )
        let texts = [update.program] + update.arguments
        if let text = texts.first(where: { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }) {
            throw BundleError(
                .invalidArgument,
                "“\(Printable.text(text))” has a control character, which neither systemd nor cron can be given; rename it"
            )
        }
        return update
    }

    private func write(_ file: SystemdUnits.File, into folder: String) throws {
        let path = URL(fileURLWithPath: folder).appending(path: file.name)
        do {
            try file.text.write(to: path, atomically: true, encoding: .utf8)
        } catch {
            throw BundleError(.outputUnavailable, "\(path.path) can't be written; check the folder", cause: error)
        }
    }

    private func owner(of path: String) -> String? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let name = attributes?[.ownerAccountName] as? String
        return name == "root" ? nil : name
    }
}

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
