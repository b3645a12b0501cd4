import ArgumentParser
import BundleStore
import Foundation
import Logging
import Synchronization

/// What a server logs on standard error, and how.
struct LoggingOptions: ParsableArguments {
    static let options = [verbose, quiet, logLevel, logFormat.option]

    private static let verbose = ConfigurableOption.flag("verbose", "Log each request: as --log-level debug.")
    @Flag(Self.verbose) var verbose = false

    private static let quiet = ConfigurableOption.flag(
        "quiet",
        letter: "q",
        "Print the address and errors only: as --log-level error."
    )
    @Flag(Self.quiet) var quiet = false

    private static let standardLevel = Logger.Level.info
    private static let logLevel = ConfigurableOption(
        "log-level",
        "The least level that is logged.",
        value: "level",
        default: standardLevel.rawValue
    )
    @Option(Self.logLevel) var logLevel: Logger.Level?

    private static let logFormat = DefaultedOption(
        "log-format",
        "The format of the log.",
        value: "format",
        default: LogFormat.text
    )
    @Option(Self.logFormat) var logFormat: LogFormat

    func validate() throws {
        guard [verbose, quiet, logLevel != nil].count(where: \.self) <= 1 else {
            throw ValidationError("--verbose, --quiet and --log-level exclude each other; keep one")
        }
    }

    /// The least level that is logged.
    var level: Logger.Level { logLevel ?? (verbose ? .debug : quiet ? .error : Self.standardLevel) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

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

/// The format of log messages, one line each.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    /// Time, level, text, and the fields as `name=value`.
    case text
    /// An object with `time`, `level`, `message`, and `fields` when there are any: numbers, or texts.
    case json

    private struct Document: Encodable {
        let time: Date
        let level: String
        let message: String
        let fields: [String: Field]?
    }

    private struct Field: Encodable {
        let value: Logger.MetadataValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .stringConvertible(let number as Int): try container.encode(number)
            case .stringConvertible(let number as Double): try container.encode(number)
            default: try container.encode("\(value)")
            }
        }
    }

    /// The line of a message, without its end.
    func line(at time: Date, _ level: Logger.Level, _ message: String, _ fields: Logger.Metadata) -> String {
        switch self {
        case .text:
            let fields = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.text($0.value))" }.joined()
            return Printable.line("\(Timestamp.text(time)) \(level): \(message)\(fields)")
        case .json:
            let values = fields.isEmpty ? nil : fields.mapValues(Field.init)
            let document = Document(time: time, level: level.rawValue, message: message, fields: values)
            return JSONDocument.line(of: document)
        }
    }

    /// In quotes when it has spaces, so that a field's end can be seen.
    private static func text(_ value: Logger.MetadataValue) -> String {
        let text = "\(value)"
        return text.contains(" ") ? "\"\(text.replacing("\"", with: "'"))\"" : text
    }
}

/// Log messages on standard error, one line each, in a ``LogFormat``.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    /// The level of this logger alone; otherwise that of the settings counts.
    private var ownLevel: Logger.Level?
    private let settings: LogSettings

    init(_ settings: LogSettings) {
        self.settings = settings
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? settings.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Whether a module of this package logs.
    private static func isOwn(_ source: String) -> Bool {
        source.hasPrefix("Bundle") || ["ServerCore", "bundlectl"].contains(source)
    }

    func log(event: LogEvent) {
        // What dependencies log about their internals doesn't help operators, unless it is a warning.
        guard Self.isOwn(event.source) || event.level >= .warning else { return }
        let fields = metadata.merging(event.metadata ?? [:]) { _, latest in latest }
        let line = settings.format.line(at: Date(), event.level, "\(event.message)", fields)
        // If standard error can't be written, nothing else can report that.
        try? StandardStreams.write(line + "\n", to: STDERR_FILENO)
    }
}
