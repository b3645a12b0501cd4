import Logging
import Synchronization

/// What a server logs and how, which may change while it runs. Thread-safe.
final class LogSettings: Sendable {
    /// Kept, because `allCases` makes an array at each use.
    private static let levels = Logger.Level.allCases

    /// The index of the level; requests look at it.
    private let levelIndex: Atomic<Int>
    private let currentFormat: Mutex<LogFormat>

    init(_ options: LoggingOptions) {
        levelIndex = Atomic(Self.index(of: options.level))
        currentFormat = Mutex(options.logFormat)
    }

    /// The least level that is logged. Takes no lock.
    var level: Logger.Level { Self.levels[levelIndex.load(ordering: .relaxed)] }

    var format: LogFormat { currentFormat.withLock { $0 } }

    /// Goes by other options from now on.
    func take(_ options: LoggingOptions) {
        currentFormat.withLock { $0 = options.logFormat }
        levelIndex.store(Self.index(of: options.level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int { levels.firstIndex(of: level) ?? 0 }
}
