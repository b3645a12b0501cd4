import BundleNetwork
import BundleServing
import BundleStore
import BundleTesting
import Foundation
import Testing

@testable import BundleServer

/// A maker that works when a test says so.
struct Workbench {
    let maker: VariantMaker
    let log = RecordedLog()
    private let started = Monitor<[@Sendable () -> Void]>([])
    private let done = Monitor(0)
    private let paused = Monitor<[Duration]>([])

    init(
        _ store: BundleStore,
        clock: TestClock = TestClock(),
        quota: Int64 = 1 << 20,
        requestCount: @escaping @Sendable () -> Int64 = { 0 },
        onPause: @escaping @Sendable () -> Void = {}
    ) {
        maker = VariantMaker(
            store,
            quota: quota,
            clock: clock,
            logger: log.logger,
            requestCount: requestCount,
            start: { [started] _, work in started.update { $0.append(work) } },
            pause: { [paused] duration in
                paused.update { $0.append(duration) }
                onPause()
                clock.advance(by: duration)
            }
        )
    }

    /// For how long work has waited.
    var pauses: [Duration] { paused.state }

    /// How often a thread was requested.
    var startCount: Int { started.state.count }
    /// Whether no thread was requested since the last work was done.
    var isIdle: Bool { startCount == done.state }

    /// Waits for a delta as a response does.
    func waitForDelta(of asset: Asset, for preferences: CodingPreferences) async {
        await maker.pendingDelta(of: asset, for: preferences)?()
    }

    /// Does all work that there is.
    func work() {
        while !isIdle {
            let work = started.state[done.state]
            done.update { $0 += 1 }
            work()
        }
    }
}

extension BundleStore {
    /// A file of the bundle `shop` as it is now, or was in a retained version.
    func asset(_ path: String) throws -> Asset {
        let bundle = try bundle(BundleName("shop"))
        let path = try BundlePath(path)
        return try #require(bundle.releases.lazy.compactMap { $0.asset(at: path) }.first)
    }

    /// The names of the files of all variants.
    func variantFiles() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path + "/variants") else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path + "/variants").sorted()
    }
}
