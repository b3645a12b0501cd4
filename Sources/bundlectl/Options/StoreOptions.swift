import ArgumentParser
import BundleStore
import Foundation

/// How a verb that changes one bundle works, and reports.
struct BundleChangeOptions: ParsableArguments {
    @Flag(help: "Wait for another process that works on the bundle.")
    var wait = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
}

/// The store that a verb works on.
struct StoreOptions: ParsableArguments {
    /// The environment variable that names the store of all commands.
    static let variable = "BUNDLECTL_STORE"

    static let options = [folder]

    private static let folder = ConfigurableOption(
        "store",
        "The store's folder.",
        value: "dir",
        discussion: "Default: \(variable), else bundlectl in XDG_DATA_HOME, else in ~/.local/share."
    )
    @Option(Self.folder, completion: .directory) var folder: String?

    func validate() throws {
        if folder == "" { throw ValidationError("--store is empty; name a folder, such as --store /var/lib/bundlectl") }
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - creating: Whether to create it when it doesn't exist.
    ///   - cacheLimits: How much of what comes from the network is kept.
    ///   - readsIndexes: Whether to read every index completely, so that it is known which version is served.
    ///   - damageHandler: Called for each file that turns out to be damaged when it is read.
    func open(
        creating: Bool = false,
        cacheLimits: CacheLimits = CacheLimits(),
        readsIndexes: Bool = false,
        damageHandler: @escaping DamageHandler = { _ in }
    ) throws -> BundleStore {
        let store = try BundleStore(
            at: path,
            creating: creating,
            cacheLimits: cacheLimits,
            survivesFaults: true,
            damageHandler: damageHandler
        )
        if readsIndexes { try store.checkIndexes() }
        return store
    }

    /// The store's folder.
    var path: String { path(environment: ProcessInfo.processInfo.environment) }

    /// The store's folder. Empty variables count as unset, and so does a relative XDG_DATA_HOME (XDG Base Directory
    /// §3).
    func path(environment: [String: String]) -> String {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let folder = folder ?? value(Self.variable) { return folder }
        if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return "\(data)/bundlectl" }
        return "\(value("HOME") ?? NSHomeDirectory())/.local/share/bundlectl"
    }
}
