import ArgumentParser
import BundleArchive
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Copy an archive to a place such as a folder of a web server, and add it to the feed there.",
        discussion: """
            The archive is checked as by an installation. Beside it a content list is written, by which clients fetch \
            only the files that they lack, and patches from the releases before it, where they are clearly smaller than \
            that. The feed is \(FeedFolder.feedFileName) there; it is created if necessary. Publishing the same archive again changes what is given of its channels, its share of the installations and what \
            else is said about it, and adds patches that are missing. “bundlectl feed” changes the feed otherwise. \
            With --keys the feed is signed, and the release is one that may be installed; what devices would refuse is \
            refused first. With --manifest the archive is made again with that manifest. What of the release would miss \
            offline is told; with --check it then isn't published (status \(ExitStatus.badInput.rawValue)).

            Examples:
              bundlectl publish shop-1.1.0.zip --to /srv/www/releases --rollout 10%
              bundlectl publish shop-1.2.0-rc.1.zip --to /srv/www/releases --channel beta --prune 5
            """
    )

    @Argument(help: "The archive.", completion: .file())
    var archive: String

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("A folder, s3://BUCKET/PREFIX or oci://REGISTRY/REPOSITORY.", valueName: "place"),
        completion: .directory,
        transform: PublishedPlace.init(argument:)
    )
    var place: PublishedPlace

    @OptionGroup var access: PlaceAccessOptions

    @OptionGroup var manifest: ManifestFileOptions

    @Flag(
        inversion: .prefixedNo,
        exclusivity: .exclusive,
        help: ArgumentHelp(
            "Check first what of the release would miss offline: errors then keep it from being published; without either "
                + "option they are warnings."
        )
    )
    var check: Bool?

    @OptionGroup var lint: LintOptions

    @OptionGroup(title: "The offer")
    var offer: TermsOptions

    @Option(
        help: ArgumentHelp(
            "Keep the highest releases of each channel, this many, and revoked ones; the others' archives go after a day.",
            valueName: "n"
        )
    )
    var prune: Int?

    @Option(
        help: ArgumentHelp(
            "Make patches from this many of the releases before it in each of its channels and in stable, at most 16. A "
                + "patch takes some seconds, and memory of up to 400 MB.",
            valueName: "n"
        )
    )
    var patches = 3

    @OptionGroup var signing: SigningOptions

    @OptionGroup(title: "Archives without a manifest")
    var naming: NamingOptions

    @OptionGroup(title: "Reading the archive")
    var reading: ArchiveOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if place.isEmpty {
            throw ValidationError("--to is empty; name the folder of the feed, such as --to public/shop")
        }
        if manifest.path != nil, naming.release != nil {
            throw ValidationError("--manifest says the name and the version; leave it out, or --name and --version")
        }
        if let prune, prune < 1 { throw ValidationError(prune, of: "--prune", mustBe: "1 or more", suchAs: "3") }
        guard (0...16).contains(patches) else {
            throw ValidationError(patches, of: "--patches", mustBe: "0 to 16", suchAs: "4")
        }
    }

    func run() async throws {
        let change = try offer.change()
        guard let file = try manifest.read() else {
            return try await publish(archive, options: options(), changing: change)
        }
        let staged = try StagedFile(
            for: FileManager.default.temporaryDirectory.appending(path: "bundlectl-publish").path
        )
        var options = try options()
        options.sourceName = archive
        let warnings = try Installer.replaceManifest(
            of: archive,
            by: file,
            into: staged.path,
            format: format ?? .zip,
            options: options
        )
        output.console.warn(warnings)
        try await publish(staged.path, options: options, sparing: warnings, changing: change)
    }

    /// - Parameter told: Warnings that were told before.
    private func publish(
        _ path: String,
        options: InstallOptions,
        sparing told: [String] = [],
        changing change: (inout ReleaseTerms) -> Void
    ) async throws {
        let draft = try output.console.showingProgress("checking") { bar in
            try ReleaseDraft(path, options: options) { bar.update($0) }
        }
        output.console.warn(draft.report.warnings.filter { !told.contains($0) })
        let keys = try signing.signingKeys()
        let (publication, summary) = try await access.publishing(to: place, output, needing: bases(of: draft)) { feed in
            let summary = try check == false ? nil : lint(draft, in: feed, options)
            let publication = try output.console.showingProgress("publishing") { bar in
                try feed.publish(
                    draft,
                    fileExtension: format?.description ?? "archive",
                    patchCount: patches,
                    keeping: prune.map(FeedRetention.init(releaseCount:)),
                    signing: keys,
                    changing: change
                ) { step, progress in bar.update(progress, of: step.label) }
            }
            return (publication, summary)
        }
        output.console.warn(publication.warnings)
        try output.console.report(PublishSummary(publication, of: draft.name, lint: summary, showsCheck: check == true))
    }

    /// The archives that a publication reads in the place.
    private func bases(of draft: ReleaseDraft) -> (FeedDocument?) -> Set<String> {
        let format = format?.description ?? "archive"
        return { [patches] in $0?.archiveNames(for: draft, fileExtension: format, patchCount: patches) ?? [] }
    }

    private var format: ArchiveFormat? { ArchiveFormat(fileName: archive) }

    /// - Throws: ``EarlyEnd`` when there is an error that keeps the release from being published, after it was told.
    private func lint(_ draft: ReleaseDraft, in feed: FeedFolder, _ options: InstallOptions) throws -> LintSummary {
        let previous = try feed.archive(before: draft.version, of: draft.name)
        let lint = ArchiveLint(allowing: self.lint.allowed, options: options)
        let report = try lint.check(draft.release, in: draft.snapshot, after: previous)
        let isRequired = check == true
        let summary = self.lint.report(report, asWarnings: !isRequired, output.console)
        guard report.errorCount == 0 || !isRequired else {
            try output.console.report(summary)
            throw EarlyEnd(status: .badInput)
        }
        return summary
    }

    private func options() throws(BundleError) -> InstallOptions {
        var options = InstallOptions()
        // The rules of such a release are those given at its installation, so only name and version are set here.
        if let (name, version) = naming.release {
            options.manifest = try BundleManifest(name: name, version: version, origins: [])
        }
        reading.apply(to: &options)
        return options
    }
}

extension PublishingStep {
    fileprivate var label: String {
        switch self {
        case .copying: "copying"
        case .patching(let version): "patching from \(version)"
        }
    }
}

/// The result of `publish`.
struct PublishSummary: Report {
    let name: String
    let version: String
    let feed: String
    let sequence: Int64
    let archive: String
    let size: Int64
    let sha256: String
    let channels: [String]
    /// In percent.
    let rollout: Double
    /// Nil for none.
    let groups: [String]?
    let isCritical: Bool
    let minimumShell: String?
    let isRepeated: Bool
    /// The versions that are no longer offered; nil when there is none.
    let removed: [String]?
    /// Nil when there is none.
    let removedArchives: [String]?
    /// Those that are removed later; nil when there is none.
    let withdrawnArchives: [String]?
    /// From which releases before it no patch leads to it, and why; nil when there is none such.
    let withoutPatch: [WithoutPatch]?
    /// Nil for a feed that isn't signed.
    let signedUntil: Date?
    /// Nil when it wasn't checked.
    let lint: LintSummary?
    private let offer: String
    private let check: [String]

    struct WithoutPatch: Encodable {
        let from: String
        let reason: String
    }

    private enum CodingKeys: CodingKey {
        case name, version, feed, sequence, archive, size, sha256, channels, rollout, groups, isCritical, minimumShell
        case isRepeated, removed, removedArchives, withdrawnArchives, withoutPatch, signedUntil, lint
    }

    /// - Parameter showsCheck: Whether the text has what was checked; warnings are on standard error in any case.
    init(_ publication: Publication, of name: BundleName, lint: LintSummary? = nil, showsCheck: Bool = false) {
        self.lint = lint
        check = showsCheck ? lint?.lines ?? [] : []
        let (entry, report) = (publication.entry, publication.report)
        let offer = OfferSummary(entry)
        self.name = name.string
        version = offer.version
        feed = report.feedName
        sequence = report.sequence
        archive = publication.archivePath
        size = entry.size
        sha256 = entry.digest.hex
        (channels, rollout, groups, isCritical) = (offer.channels, offer.rollout, offer.groups, offer.isCritical)
        minimumShell = offer.minimumShell
        isRepeated = publication.isRepeated
        removed = report.removed.isEmpty ? nil : report.removed.map(\.string)
        removedArchives = report.removedArchives.isEmpty ? nil : report.removedArchives
        withdrawnArchives = report.withdrawnArchives.isEmpty ? nil : report.withdrawnArchives
        let bases = publication.unpatched.map {
            WithoutPatch(from: $0.version.string, reason: $0.reason.description)
        }
        withoutPatch = bases.isEmpty ? nil : bases
        signedUntil = report.signedUntil
        self.offer = offer.text
    }

    var lines: [String] {
        let release = "\(name)@\(version)"
        let feed = Printable.line(feed)
        let published =
            isRepeated
            ? "\(release) is in \(feed) already; it is \(offer) now"
            : "published \(release) in \(feed) (\(ByteCount.text(size)), \(offer))"
        return check + [published] + (removed ?? []).map { "\(name)@\($0) is no longer offered" }
            + (withoutPatch ?? []).map { "no patch from \($0.from): \($0.reason)" }
            + FileRemovals.lines(removedArchives, later: withdrawnArchives)
            + (signedUntil.map { ["signed until \(Timestamp.text($0))"] } ?? [])
    }
}
