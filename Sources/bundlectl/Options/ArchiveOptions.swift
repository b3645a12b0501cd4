import ArgumentParser
import BundleArchive
import BundleInstall
import BundleStore

/// How an archive is read: the encoding of its names, and the limits on its use of this machine.
struct ArchiveOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The encoding of names that aren't UTF-8: \(ArchiveCharset.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "charset"
        )
    )
    var charset: ArchiveCharset?

    @Option(help: ArgumentHelp("The largest number of entries.", valueName: "n"))
    var maxEntries = ArchiveLimits().maximumEntryCount

    @Option(help: ArgumentHelp("The largest size of all files together: 500MB, 16GB.", valueName: "size"))
    var maxSize: ByteCountArgument?

    @Option(help: ArgumentHelp("The largest size of one file: 500MB, 4GB.", valueName: "size"))
    var maxFileSize: ByteCountArgument?

    @Option(help: ArgumentHelp("The largest ratio of the files' size to the archive's.", valueName: "n"))
    var maxRatio = ArchiveLimits().maximumCompressionRatio

    @Option(help: ArgumentHelp("The deepest nesting of folders.", valueName: "n"))
    var maxDepth = ArchiveLimits().maximumDepth

    @Option(help: ArgumentHelp("The longest time that reading may take: 30s, 10m, 2h.", valueName: "duration"))
    var maxTime: DurationArgument?

    func validate() throws {
        for (name, value) in [("entries", Int64(maxEntries)), ("ratio", maxRatio), ("depth", Int64(maxDepth))]
        where value < 1 {
            throw ValidationError(value, of: "--max-\(name)", mustBe: "1 or more", suchAs: "100")
        }
        guard maxDepth <= BundlePath.maximumDepth else {
            let limit = BundlePath.maximumDepth
            throw ValidationError(maxDepth, of: "--max-depth", mustBe: "at most \(limit)", suchAs: "\(limit)")
        }
    }

    /// Sets the options that were given; the others keep their defaults.
    func apply(to options: inout InstallOptions) {
        options.charset = charset
        options.limits.maximumEntryCount = maxEntries
        options.limits.maximumCompressionRatio = maxRatio
        options.limits.maximumDepth = maxDepth
        if let maxSize { options.limits.maximumTotalByteCount = maxSize.byteCount }
        if let maxFileSize { options.limits.maximumEntryByteCount = maxFileSize.byteCount }
        if let maxTime { options.limits.maximumDuration = maxTime.duration }
    }
}

extension ArchiveCharset: ExpressibleByArgument {}
