import BundleStore

/// What an installation is known by to those who watch a fleet. A value type.
package struct FleetIdentity: Sendable, Equatable {
    /// The name of the program: that of the service, and of the job.
    package var program: String
    /// Tells it from others; nil when the operator leaves that out.
    package var installation: String?
    /// What the operator calls it; each name once.
    package var labels: [FleetLabel]

    /// - Parameters:
    ///   - program: Letters, digits and hyphens.
    ///   - installation: Nil to leave it out.
    ///   - labels: At most ``FleetLabel/maximumCount``, with different names.
    package init(program: String = "offline-bundles", installation: String? = nil, labels: [FleetLabel] = []) {
        (self.program, self.installation, self.labels) = (program, installation, labels)
    }

    /// The number by which others may know a store. The one by which releases are offered to a share of the installations stays in the
    /// store, and a copy of the disk on another machine has another one.
    ///
    /// - Returns: 32 hexadecimal digits; nil when there is none yet and the store can't be written.
    package static func number(of store: BundleStore) -> String? {
        (try? store.installationIdentifier())?.pseudonym(for: "telemetry")
    }

    /// Writes one gauge with the labels, unless there are none.
    package func write(to page: inout MetricPage) {
        let number: [MetricPage.Label] = installation.map { [("installation", $0)] } ?? []
        let labels = number + labels.map { ($0.name, $0.value) }
        guard !labels.isEmpty else { return }
        page.gauge("bundlectl_installation_info", "1, with the number and the operator's labels of the installation.")
        page.sample(labels, 1)
    }
}

/// What an operator calls an installation: a label by Prometheus' grammar. A value type.
package struct FleetLabel: Sendable, Equatable {
    /// How many there may be.
    package static let maximumCount = 16
    private static let maximumNameByteCount = 64
    private static let maximumValueByteCount = 256

    /// The labels that metrics, scrapers and collectors have for themselves.
    package static let reserved: Set<String> = [
        "bundle", "cause", "code", "installation", "instance", "job", "kind", "layer", "le", "origin", "quantile",
        "reason",
        "role", "state", "version",
    ]

    package let name: String
    package let value: String

    /// Nil for a name that has other characters than letters, digits and `_`, begins with a digit or `__`, is over 64 bytes or
    /// ``reserved``; and for a value that is empty, over 256 bytes, or has a control character.
    package init?(name: String, value: String) {
        guard (1...Self.maximumNameByteCount).contains(name.utf8.count), !Self.reserved.contains(name),
            name.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }),
            name.utf8.first.map(ASCII.isDigit) == false, !name.hasPrefix("__"),
            (1...Self.maximumValueByteCount).contains(value.utf8.count),
            value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        (self.name, self.value) = (name, value)
    }
}
