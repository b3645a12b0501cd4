import ArgumentParser

/// A service that updates the bundles once, and a timer that starts it.
struct SystemdUnits {
    /// A unit's file.
    struct File: Equatable {
        let name: String
        let text: String
    }

    let update: ScheduledUpdate
    /// Whether they are for a user's own service manager.
    let isForUser: Bool
    /// The user that runs the service; nil for root, or the user whose manager it is.
    let user: String?

    /// Both, the service first.
    var files: [File] {
        [
            File(name: "bundlectl-update.service", text: service), File(name: "bundlectl-update.timer", text: timer),
        ]
    }

    private var service: String {
        let command = [SystemdQuoting.program(update.program)] + update.arguments.map(SystemdQuoting.argument)
        var lines = ["[Unit]", "Description=Update bundles of web assets"]
        // A user's own manager doesn't know that target.
        if !isForUser { lines += ["Wants=network-online.target", "After=network-online.target"] }
        lines += [
            "", "[Service]", "Type=oneshot", "ExecStart=\(command.joined(separator: " "))", "Nice=10",
            "IOSchedulingClass=idle",
            // Longer than a download and its installation may take.
            "TimeoutStartSec=3h",
        ]
        if let user { lines.append("User=\(user)") }
        lines += Self.restrictions + (isForUser ? [] : confinement)
        return lines.joined(separator: "\n") + "\n"
    }

    private var timer: String {
        """
        [Unit]
        Description=Update bundles of web assets every \(update.interval.text)

        [Timer]
        OnCalendar=\(update.interval.calendar)
        RandomizedDelaySec=\(update.interval.text)
        FixedRandomDelay=true
        Persistent=true

        [Install]
        WantedBy=timers.target

        """
    }

    /// What a user's own manager can do too.
    private static let restrictions = [
        "NoNewPrivileges=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes", "RestrictRealtime=yes",
        "RestrictSUIDSGID=yes", "RestrictNamespaces=yes",
        // The look-up of names uses netlink.
        "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK", "SystemCallArchitectures=native",
        "SystemCallFilter=@system-service",
    ]

    private var confinement: [String] {
        [
            "ProtectSystem=strict", "ReadWritePaths=\(SystemdQuoting.path(update.store))", "ProtectHome=read-only",
            "PrivateTmp=\(needsTemporaryFolder ? "no" : "yes")", "PrivateDevices=yes", "ProtectClock=yes",
            "ProtectControlGroups=yes", "ProtectHostname=yes", "ProtectKernelLogs=yes", "ProtectKernelModules=yes",
            "ProtectKernelTunables=yes", "ProtectProc=invisible", "CapabilityBoundingSet=",
        ]
    }

    /// Whether the service would not see its own files with a temporary folder of its own.
    private var needsTemporaryFolder: Bool {
        [update.program, update.store].contains { path in
            ["/tmp/", "/var/tmp/"].contains { path.hasPrefix($0) }
        }
    }
}

/// The command that a clock runs.
struct ScheduledUpdate {
    /// The program's absolute path.
    let program: String
    /// The store's absolute path.
    let store: String
    /// How often it is run.
    let interval: UpdateInterval
    /// Further arguments of `update`.
    let further: [String]

    /// The arguments, without those that only one kind of clock needs.
    var arguments: [String] { ["update", "--scheduled", "--store", store] + further }
}

/// How often a clock runs updates: a number of minutes that divides an hour, of hours that divides a day, or a day, which
/// systemd's calendar and cron can both express.
struct UpdateInterval: ExpressibleByArgument, Equatable {
    let minutes: Int

    init?(argument: String) {
        guard let duration = DurationArgument(argument: argument)?.duration else { return nil }
        let (minutes, rest) = duration.components.seconds.quotientAndRemainder(dividingBy: 60)
        guard rest == 0, (1...1_440).contains(minutes), minutes < 60 ? 60 % minutes == 0 : 1_440 % minutes == 0,
            minutes < 60 || minutes % 60 == 0
        else { return nil }
        self.minutes = Int(minutes)
    }

    init(minutes: Int) {
        self.minutes = minutes
    }

    /// The default.
    static let quarterHour = UpdateInterval(minutes: 15)

    var defaultValueDescription: String { text }

    /// Such as `15m`.
    var text: String { minutes < 60 ? "\(minutes)m" : "\(minutes / 60)h" }

    /// When, for systemd.time(7).
    var calendar: String {
        switch minutes {
        case 1_440: "*-*-* 00:00:00"
        case 60...: "*-*-* 00/\(minutes / 60):00:00"
        default: "*-*-* *:00/\(minutes):00"
        }
    }

    /// When, for crontab(5).
    var crontab: String {
        switch minutes {
        case 1_440: "0 0 * * *"
        case 60...: "0 */\(minutes / 60) * * *"
        default: "*/\(minutes) * * * *"
        }
    }
}
