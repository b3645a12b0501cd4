import BundleServer
import BundleStore
import Foundation

/// The server's own certificate, and those that the system trusts. Pure.
enum CertificateCheck {
    /// Where Linux distributions have the certificates that are trusted; the transport reads the first.
    private static let trustStores = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]
    private static let day: TimeInterval = 86_400
    /// Certificates are renewed a third of their life ahead, the shortest ones of six days two days ahead.
    private static let noticedDays = 14

    /// What is found of the server's own.
    static func finding(_ validity: ClosedRange<Date>, at path: String, now: Date) -> Finding {
        let days = Int((validity.upperBound.timeIntervalSince(now) / day).rounded(.down))
        let end = Timestamp.text(validity.upperBound)
        if days < 0 || now > validity.upperBound {
            let message = "\(path) has expired, \(end): clients refuse it"
            return Finding(.error, .certificates, message, remedy: "renew it; a running server reads it again")
        }
        if now < validity.lowerBound {
            let message = "\(path) isn't valid before \(Timestamp.text(validity.lowerBound))"
            return Finding(.error, .certificates, message, remedy: "look at the clock of this machine")
        }
        // Of what is made for a short time only the last third.
        let life = validity.upperBound.timeIntervalSince(validity.lowerBound) / day
        guard Double(days) >= min(Double(noticedDays), life / 3) else {
            return Finding(
                .warning,
                .certificates,
                "\(path) expires in \(Quantity.text(days, "day")), \(end)",
                remedy: "renew it"
            )
        }
        return Finding(.ok, .certificates, "\(path) is valid for \(Quantity.text(days, "day")), until \(end)")
    }

    /// What is found of those that are trusted.
    ///
    /// - Parameter chosen: Where they are in place of the system's, by variables.
    static func trust(chosen: [String], isReadable: (String) -> Bool) -> Finding {
        if let path = chosen.first(where: { !isReadable($0) }) {
            return Finding(
                .error,
                .certificates,
                "\(Printable.line(path)) can't be read: no https origin or feed can be asked",
                remedy: "correct SSL_CERT_FILE or SSL_CERT_DIR, or unset it for the system's certificates"
            )
        }
        if !chosen.isEmpty {
            let places = chosen.map(Printable.line).joined(separator: ", ")
            return Finding(.ok, .certificates, "those in \(places) are trusted, in place of the system's")
        }
        if let path = trustStores.first(where: isReadable) {
            return Finding(.ok, .certificates, "the system trusts those in \(path)")
        }
        return Finding(
            .warning,
            .certificates,
            "there is no list of trusted certificates in /etc/ssl or /etc/pki: no https origin or feed can be asked",
            remedy: "install it: “apt-get install ca-certificates”"
        )
    }
}

/// This machine's clock. Pure.
enum ClockCheck {
    /// Servers' clocks differ by less, and certificates and caches bear it.
    private static let tolerance: TimeInterval = 300
    private static let remedy = "set the clock: “timedatectl set-ntp true”"

    /// - Parameters:
    ///   - offsets: By how many seconds this clock was ahead of each server that was asked, by its host.
    ///   - newest: When something was installed last, by this clock at that time.
    ///   - build: When this program was made.
    static func findings(now: Date, offsets: [(host: String, seconds: TimeInterval)], newest: Date?, build: Date?)
        -> [Finding]
    {
        if let build, now < build - 86_400 {
            return [Finding(.error, .clock, "\(Timestamp.text(now)) is before this program was made", remedy: remedy)]
        }
        if let newest, now < newest - tolerance {
            let message = "\(Timestamp.text(now)) is before the last installation, \(Timestamp.text(newest))"
            return [Finding(.error, .clock, message, remedy: remedy)]
        }
        // One server alone may be wrong itself.
        let middle = offsets.sorted { abs($0.seconds) < abs($1.seconds) }.dropFirst(offsets.count / 2).first
        guard let middle else { return [Finding(.ok, .clock, "\(Timestamp.text(now)); no server was asked")] }
        guard abs(middle.seconds) > tolerance else {
            return [Finding(.ok, .clock, "\(Timestamp.text(now)), as \(middle.host) says")]
        }
        let side = middle.seconds > 0 ? "ahead of" : "behind"
        let message = "\(Timestamp.text(now)) is \(Int(abs(middle.seconds))) s \(side) the clock of \(middle.host)"
        return [Finding(abs(middle.seconds) > 86_400 ? .error : .warning, .clock, message, remedy: remedy)]
    }
}

/// Whether a server could listen at an address.
enum SocketCheck {
    static func finding(_ address: ListenAddress) -> Finding {
        guard let obstacle = address.obstacle(.listenAddress) else {
            return Finding(.ok, .socket, "a server could listen on \(address)")
        }
        var holder: PortHolder?
        if case .tcp(_, let port) = address, port != 0 { holder = PortHolder(port: port) }
        let owner = holder.map { " by process \($0.process) (\($0.name))" } ?? ""
        return Finding(.error, .socket, obstacle.problem + owner, remedy: obstacle.remedy.map(Advice.text))
    }
}

/// The process that listens at a TCP port, as far as Linux tells this user.
struct PortHolder: Equatable {
    /// More processes aren't looked through.
    private static let maximumProcessCount = 10_000

    let process: Int
    let name: String

    /// Nil when nobody listens there, or it is another user's process.
    init?(port: Int) {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let sockets = Set(tables.flatMap { Self.sockets(listeningAt: port, in: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty, let process = Self.process(with: sockets) else { return nil }
        self.process = process
        let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        self.name = name?.trimmingCharacters(in: .newlines) ?? "?"
    }

    /// The inodes of the sockets in state 0A (listen) at a port, in a table of proc(5). Pure.
    static func sockets(listeningAt port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let columns = line.split(separator: " ")
            guard columns.count > 9, columns[3] == "0A", let own = columns[1].split(separator: ":").last,
                Int(own, radix: 16) == port
            else { return nil }
            return String(columns[9])
        }
    }

    private static func process(with sockets: Set<String>) -> Int? {
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int($0) } ?? []
        return processes.prefix(maximumProcessCount).first { process in
            let folder = "/proc/\(process)/fd"
            let descriptors = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            return descriptors.contains { descriptor in
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")).map(sockets.contains) == true
            }
        }
    }
}
