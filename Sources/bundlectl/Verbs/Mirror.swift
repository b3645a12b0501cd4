import ArgumentParser
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

struct Mirror: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Copy a published feed with its signatures and its files, as to a stick.",
        discussion: """
            Devices without a network read the copy as they would read the place: “install DIR”, “update --from DIR”. All that is \
            signed is verified first, by the roots of --keys, or by --trust; without both, the root that is there is trusted, and the \
            report has its digest. What is in the folder already isn't copied again, and what the feed doesn't name any more is \
            removed.

            Devices take what the online key has signed for 14 days. With --valid it signs the copy for longer, at most until the \
            targets or the root expire: the stick's holder can hold news back for that long.

            Examples:
              bundlectl mirror https://get.example.com/shop/feed.json --to /media/usb/shop
              bundlectl mirror public/shop --to /media/usb/shop --valid 90d --keys keys
            """
    )

    @Argument(
        help: ArgumentHelp("The folder of a feed, its feed.json, or the feed's URL.", valueName: "place"),
        completion: .file()
    )
    var place: InstallSource

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The place of the copy: a folder, s3://BUCKET/PREFIX or oci://REGISTRY/REPOSITORY.",
            valueName: "place"
        ),
        completion: .directory,
        transform: PublishedPlace.init(argument:)
    )
    var copy: PublishedPlace

    @Option(
        name: .customLong("trust"),
        help: ArgumentHelp(
            "The SHA-256 of the publisher's first root, by which the feed has to be trusted.",
            valueName: "sha256:hex"
        )
    )
    var root: RootDigest?

    @Option(
        help: ArgumentHelp(
            "For how long devices take the copy: 90d. Needs --keys. Default: as long as the feed.",
            valueName: "duration"
        )
    )
    var valid: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "The folder of the publisher's keys: the roots, by which the feed has to be trusted, and for --valid the online key.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var keys: String?

    @OptionGroup var passphrases: PassphraseOptions

    @OptionGroup(title: "Downloads")
    var transfer: TransferOptions

    @OptionGroup var access: PlaceAccessOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let scheme = place.foreignScheme {
            throw ValidationError(
                "“\(Printable.text(place.text))” can't be fetched: its scheme is \(scheme), not http, https or file"
            )
        }
        if copy.isEmpty {
            throw ValidationError("--to is empty; name the folder of the copy, such as --to /media/usb")
        }
        if keys == "" { throw ValidationError("--keys is empty; name the folder of the keys, such as --keys keys") }
        if keys == nil, valid != nil {
            throw ValidationError("--valid needs the online key; name the folder that has it with --keys")
        }
        if keys == nil, passphrases.passphraseFile != nil {
            throw ValidationError("--passphrase-file is of no use without --keys; name the folder of the keys")
        }
        if keys != nil, root != nil {
            throw ValidationError(
                "--trust is the digest of the root that the folder of --keys has; leave out the one or the other"
            )
        }
        if valid?.duration == .zero {
            throw ValidationError("0s", of: "--valid", mustBe: "longer than 0s", suchAs: "90d")
        }
    }

    func run() async throws {
        let keys = try keys.map {
            try SigningKeys(KeyFolder($0, running: KeyStoreCommand.run), passphrase: passphrases.passphrase)
        }
        let anchor = try keys?.anchor ?? root.map { .digest($0.digest) } ?? .firstUse
        let signing = keys.flatMap { keys in
            valid.map { MirrorSigning(keys, for: TimeInterval($0.duration.components.seconds)) }
        }
        let network = try access.reach.read(warn: output.console.warn)
        var configuration = Updater.Configuration()
        (configuration.userAgent, configuration.places) = (ProductVersion.userAgent, .ofEnvironment)
        configuration.credentials = network.credentials
        transfer.apply(to: &configuration)
        let report = try await access.publishing(to: copy, output) { [configuration] folder in
            try await network.withTransport { transport in
                try await output.console.showingProgress("copying") { bar in
                    try await FeedMirror(folder).copy(
                        FeedOrigin(feed, over: transport, configuration),
                        by: anchor,
                        signing: signing
                    ) { bar.update($0) }
                }
            }
        }
        let summary = MirrorSummary(report)
        output.console.warn(summary.warnings)
        try output.console.report(summary)
    }

    private var feed: URL {
        if let url = place.url { return url }
        let path = place.isFolder ? "\(place.text)/\(FeedFolder.feedFileName)" : place.text
        return InstallSource.url(path)
    }
}

/// The result of `mirror`.
struct MirrorSummary: Report {
    let name: String
    let feed: String
    let fileCount: Int
    /// Those that weren't there.
    let copiedCount: Int
    let copiedByteCount: Int64
    /// Nil when there is none.
    let removed: [String]?
    /// Nil for a feed that isn't signed, as the next one.
    let signedUntil: Date?
    let rootSHA256: String?
    let warnings: [String]

    private enum CodingKeys: CodingKey {
        case name, feed, fileCount, copiedCount, copiedByteCount, removed, signedUntil, rootSHA256
    }

    init(_ report: MirrorReport) {
        (name, feed) = (report.name.string, report.feedName)
        (fileCount, copiedCount) = (report.fileCount, report.copied.count)
        copiedByteCount = report.copiedByteCount
        removed = report.removed.isEmpty ? nil : report.removed
        signedUntil = report.signatures?.expiry
        rootSHA256 = report.signatures?.firstRoot.hex
        warnings = report.signatures?.warnings ?? []
    }

    var lines: [String] {
        let files = Quantity.text(fileCount, "file")
        let copied = "\(copiedCount) of them copied, \(ByteCount.text(copiedByteCount))"
        let signature = signedUntil.map { "signed until \(Timestamp.text($0))" } ?? "it isn't signed"
        return ["\(Printable.line(feed)) is a copy of the feed of \(name) (\(files), \(copied)); \(signature)"]
            + (removed ?? []).map { "removed \(Printable.line($0))" }
    }
}

extension MirrorReport.Signatures {
    /// What an operator has to know.
    fileprivate var warnings: [String] {
        [
            isFirstUse
                ? "the feed is trusted by the root with SHA-256 \(firstRoot), which came with it; compare that with what the publisher "
                    + "shows, or give it with --trust" : nil,
            isExpiryBounded
                ? "the copy is signed only until \(Timestamp.text(expiry)), when the root or the targets expire; for longer, first publish with "
                    + "the release key, or make a new root with “bundlectl keys rotate root”" : nil,
        ].compactMap(\.self)
    }
}
