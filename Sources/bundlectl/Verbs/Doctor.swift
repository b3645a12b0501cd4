import ArgumentParser
import BundleNetwork
import BundleServer
import BundleStore
import BundleTransport
import Foundation

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out what is wrong: store, permissions, disk, network, clock, certificates.",
        discussion: """
            Changes nothing, and works on a store that is damaged, absent, too new, read-only or in use. Each finding is ok, a \
            warning or an error, with what to do. With an error the status is \(ExitStatus.problemFound.rawValue). The bundles \
            are opened; verify reads all of their bytes. Feeds and origins are asked all at once, up to \
            \(NetworkTarget.maximumCount) of them, for at most 10 seconds.

            Examples:
              bundlectl doctor
              bundlectl doctor --quiet --offline --listen 127.0.0.1:8080
            """
    )

    @Flag(help: "Ask no feed and no origin.")
    var offline = false

    @Option(help: ArgumentHelp("Also try whether a server could listen there.", valueName: "address"))
    var listen: ListenAddress?

    @Option(
        help: ArgumentHelp("Also tell how long the certificate in this PEM file is valid.", valueName: "file"),
        completion: .file()
    )
    var tlsCertificate: String?

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print warnings and errors only.")
    var quiet = false

    @OptionGroup var store: StoreOptions

    func run() async throws {
        let access = try reach.read(warn: Console(format: .text, isQuiet: false).warn)
        let (findings, store) = StoreInspection(of: store.path).run()
        let targets = offline ? [] : targets(of: store)
        let results = await ask(targets.prefix(NetworkTarget.maximumCount), over: access)
        let report = DoctorReport(
            findings + results.map(NetworkCheck.finding) + NetworkCheck.rest(targets.count - results.count)
                + clock(results, store) + certificates()
                + [listen.map(SocketCheck.finding)].compactMap(\.self),
            isBrief: quiet
        )
        try Console(format: json ? .json : .text, isQuiet: false).report(report)
        if report.errorCount > 0 { throw EarlyEnd(status: .problemFound) }
    }

    private func targets(of store: BundleStore?) -> [NetworkTarget] {
        guard let store else { return [] }
        return NetworkTarget.all(of: store.snapshot) { name in (try? store.updateState(of: name))?.chosenFeed?.url }
    }

    private func ask(
        _ targets: some Collection<NetworkTarget>,
        over access: NetworkAccess
    ) async -> [(NetworkTarget, NetworkProbe.Outcome)] {
        guard !targets.isEmpty else { return [] }
        let transport = NIOTransport(
            connectTimeout: NetworkProbe.limit,
            firstByteTimeout: NetworkProbe.limit,
            trust: access.trust,
            proxies: access.proxies,
            identities: access.identities
        )
        let results = await NetworkProbe(transport: transport, credentials: access.credentials) { Date() }.ask(
            Array(targets)
        )
        await transport.shutdown()
        return results
    }

    private func clock(_ results: [(NetworkTarget, NetworkProbe.Outcome)], _ store: BundleStore?) -> [Finding] {
        let program = Bundle.main.executablePath.flatMap {
            try? FileManager.default.attributesOfItem(atPath: $0)[.modificationDate] as? Date
        }
        return ClockCheck.findings(
            now: Date(),
            offsets: NetworkCheck.offsets(results),
            newest: store?.snapshot.releases.map(\.installedAt).max(),
            build: program
        )
    }

    private func certificates() -> [Finding] {
        let trust = CertificateCheck.trust(
            chosen: NetworkAccessOptions.trustStores(environment: ProcessInfo.processInfo.environment),
            isReadable: FileManager.default.isReadableFile
        )
        guard let tlsCertificate else { return [trust] }
        do {
            let validity = try TLSIdentity.validity(ofCertificate: tlsCertificate)
            let own = CertificateCheck.finding(validity, at: tlsCertificate, now: Date())
            return [trust, own]
        } catch {
            return [trust, Finding(.certificates, error)]
        }
    }
}
