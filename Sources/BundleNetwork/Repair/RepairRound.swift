import BundleInstall
import BundleStore

/// Asks the places where right bytes may be found, one after the other, until nothing is missing: the store itself, an
/// archive that is at hand, the bundles' origins, and the archives that their feeds offer.
///
/// A value; safe to share between threads.
public struct RepairRound: Sendable {
    private let installer: Installer
    private let transport: (any OriginTransport)?
    private let options: InstallOptions

    /// - Parameters:
    ///   - installer: Installs releases again into the store that is repaired.
    ///   - transport: The network; nil to leave it alone.
    ///   - options: How archives are read, and whether to wait for other processes.
    public init(_ installer: Installer, transport: (any OriginTransport)?, options: InstallOptions = InstallOptions()) {
        self.installer = installer
        self.transport = transport
        self.options = options
    }

    /// Finds what `repair` lacks, as far as it is to be found. What was tried is noted in it.
    ///
    /// - Parameter archive: An archive that has it, perhaps.
    /// - Returns: The failures of those places that couldn't be asked.
    /// - Throws: As ``BundleStore/StoreRepair/ask(_:)``.
    public func run(_ repair: StoreRepair, archive: String? = nil) async throws -> [BundleError] {
        var failures: [BundleError?] = []
        if !repair.needsNothing { failures.append(try await repair.ask(StoreRepairSource())) }
        // One that was named is looked at in any case: whoever names it wants to know what is wrong with it.
        if let archive {
            let source = ArchiveRepairSource(archive, installer: installer, options: options)
            failures.append(try await repair.ask(source))
        }
        if let transport {
            if !repair.isComplete { failures.append(try await repair.ask(OriginRepairSource(transport))) }
            if !repair.needsNothing {
                let feeds = FeedRepairSource(transport, installer: installer, options: options)
                failures.append(try await repair.ask(feeds))
            }
        }
        return failures.compactMap(\.self)
    }
}
