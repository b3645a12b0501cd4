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
