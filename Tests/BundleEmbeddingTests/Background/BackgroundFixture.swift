import BundleEmbedding
import BundleStore
import BundleTesting
import BundleUpdate
import Foundation
import HTTPTypes

/// An app with 1.0.0 of a bundle, whose large files the system downloads; and the publisher of 1.1.0.
struct BackgroundFixture: Sendable {
    static let source = "https://get.example.com/shop/shop-1.1.0.zip"

    let directory: TemporaryDirectory
    let system: BackgroundSystem
    let network: ScriptedTransport
    /// The archive of 1.1.0.
    let archive: [UInt8]
    private let configure: @Sendable (inout BundleClient.Configuration) -> Void

    /// - Parameter configure: Changes the configuration of each client.
    init(
        in directory: TemporaryDirectory,
        _ configure: @escaping @Sendable (inout BundleClient.Configuration) -> Void = { _ in }
    ) throws {
        let fixture = try ClientFixture(in: directory)
        try fixture.publish("1.1.0")
        archive = Array(try Data(contentsOf: URL(fileURLWithPath: fixture.archive("1.1.0"))))
        fixture.client.close()
        (self.directory, self.configure) = (directory, configure)
        (network, system) = (fixture.network, BackgroundSystem(in: directory))
    }

    /// Starts a process of the app. The one before has ended.
    ///
    /// - Parameter leastByteCount: The fewest bytes for which the system is asked.
    func launch(leastByteCount: Int64 = 1) throws -> BundleClient {
        system.endProcess()
        let client = try ClientFixture(in: directory, local: nil, network: network) { configuration in
            // The tests call as a person, too.
            configuration.suspendsWithApp = false
            configure(&configuration)
        }
        .client
        client.downloadInBackground { system.session($0, leastByteCount: leastByteCount) }
        return client
    }

    /// What was asked for, of the archive.
    var requestedRanges: [String?] {
        network.requests.filter { $0.path?.hasSuffix(".zip") == true }.map { $0.headerFields[.range] }
    }

    /// What is kept of downloads.
    var downloads: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path(of: "store/downloads")) }
    }

    /// When a clock may ask for the release again; nil when it may at once.
    func pause(_ client: BundleClient) throws -> TimeInterval? {
        try client.store.retry(of: ClientFixture.name, .release(Digest(of: archive)))?.pause
    }
}

extension BundleClient {
    /// The version of the bundle that responds.
    var active: String? { store.snapshot.bundles[ClientFixture.name]?.activeVersion?.description }

    /// Whether an update leaves the bundle to the system.
    func leavesUpdateToSystem() async -> Bool {
        do {
            try await update(ClientFixture.name)
            return false
        } catch {
            return error as? UpdatePostponement == .downloading("1.1.0")
        }
    }
}
