import BundleTesting
import Foundation

/// A watched run of `bundlectl`, with one fault or none.
struct FaultyRun {
    let result: ProcessResult
    let steps: [FaultStep]

    /// Present where the library can be preloaded.
    static let isPossible = FileManager.default.fileExists(atPath: library)
    static let library = BuiltProducts.path(of: "libFaultInjection.so")

    /// Runs a verb on the store in a folder.
    ///
    /// - Parameters:
    ///   - folder: The watched folder; the store is `store` in it. The log is written beside it.
    ///   - fault: The fault, and the number of its step, from 1 on; none when nil.
    init(_ arguments: [String], in folder: String, fault: (action: FaultAction, step: Int)? = nil) async throws {
        let log = folder + ".log"
        try? FileManager.default.removeItem(atPath: log)
        var environment = Bundlectl(store: folder + "/store").environment
        environment.merge(Self.environment(folder: folder, log: log)) { _, new in new }
        if let fault {
            environment["FAULT_ACTION"] = fault.action.rawValue
            environment["FAULT_AT"] = String(fault.step)
        }
        result = try await ChildProcess.run(Bundlectl.path, arguments, environment: environment)
        steps = FaultStep.log(at: log)
    }

    /// The environment that makes a program count its steps below `folder`.
    static func environment(folder: String, log: String) -> [String: String] {
        ["LD_PRELOAD": library, "FAULT_ROOT": folder, "FAULT_LOG": log]
    }
}
