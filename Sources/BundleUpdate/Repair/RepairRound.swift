import BundleInstall
import BundleStore
import HTTPCore

/// Asks the possible sources of the correct bytes one after the other, until nothing is missing: the store itself, a
/// local archive, the bundles' origins, and the archives that their feeds offer.
///
/// A value; safe to share between threads.
public struct RepairRound: Sendable {
    private let installer: Installer
    private let transport: (any OriginTransport)?
    private let options: InstallOptions
    private let credentials: FeedCredentials

    /// - Parameters:
    ///   - installer: Installs releases again into the store that is repaired.
    ///   - transport: The network; nil not to use it.
    ///   - options: How archives are read, and whether to wait for other processes.
    ///   - credentials: The users and passwords for the publishers' servers.
    public init(
        _ installer: Installer,
        transport: (any OriginTransport)?,
        options: InstallOptions = InstallOptions(),
        credentials: FeedCredentials = .none
    ) {
        self.installer = installer
        self.transport = transport
        self.options = options
        self.credentials = credentials
    }

    /// The same without the sources on the network.
    package var withoutNetwork: RepairRound { RepairRound(installer, transport: nil, options: options) }

    /// Finds what `repair` lacks, as far as possible. Each attempt is recorded in it.
    ///
    /// - Parameters:
    ///   - repair: What is to be repaired.
    ///   - archive: An archive that may have it.
    /// - Returns: The failures of the sources that couldn't be asked.
    /// - Throws: ``/BundleModel/BundleError`` with code `storeUnavailable` when the store can't be written, `storeBusy` when
    ///   another process works on it and `options` don't wait; `CancellationError` when the task is cancelled.
    public func run(_ repair: StoreRepair, archive: String? = nil) async throws -> [BundleError] {
        var failures: [BundleError?] = []
        if !repair.needsNothing { failures.append(try await repair.ask(StoreRepairSource())) }
        // A named archive is always read, so that problems with it are reported.
        if let archive {
            // What is there already has its digests; a release that is installed again may have to be signed.
            let vouched = try ArchiveTrust(installer.store, requiresTrust: false).options(options, for: archive)
            let source = ArchiveRepairSource(archive, installer: installer, options: vouched)
            failures.append(try await repair.ask(source))
        }
        if let transport {
            if !repair.isComplete { failures.append(try await repair.ask(OriginRepairSource(transport))) }
            if !repair.needsNothing {
                let feeds = FeedRepairSource(
                    transport,
                    installer: installer,
                    options: options,
                    credentials: credentials
                )
                failures.append(try await repair.ask(feeds))
            }
        }
        return failures.compactMap(\.self)
    }
}
