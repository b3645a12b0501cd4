import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

/// To whom a release is offered, and what the feed says about it. What isn't given stays as it is in the feed.
struct TermsOptions: ParsableArguments {
    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            "A channel that offers the release; may be repeated. Default: stable, but none for a pre-release."
        )
    )
    var channels: [ChannelName] = []

    @Option(
        help: ArgumentHelp(
            "Offer it to this share of the installations: 10%, 12.5%. Default: 100%.",
            valueName: "percent"
        )
    )
    var rollout: Rollout?

    @Option(
        name: .customLong("group"),
        help: ArgumentHelp(
            "A group of installations that gets it in its channel at any share, as with --rollout 0%; may be repeated."
        )
    )
    var groups: [GroupName] = []

    @Flag(
        inversion: .prefixedNo,
        exclusivity: .exclusive,
        help: "Whether the releases before it must not go on being used. Default: no."
    )
    var critical: Bool?

    @Option(help: ArgumentHelp("The lowest version of the shell that it runs in.", valueName: "version"))
    var minimumShell: BundleVersion?

    @Option(
        help: ArgumentHelp("A file with what is new: text of at most 4 KiB.", valueName: "file"),
        completion: .file()
    )
    var notes: String?

    /// What is to be said about a release, to be put into its terms.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when the notes can't be read, `invalidArgument` when they are too long
    ///   or no text.
    func change() throws(BundleError) -> (inout ReleaseTerms) -> Void {
        let notes = try notes.map(Self.text(of:))
        return { [channels, rollout, groups, critical, minimumShell] terms in
            if !channels.isEmpty { terms.channels = channels.map(\.string) }
            if let rollout { terms.rollout = rollout }
            if !groups.isEmpty { terms.groups = groups.map(\.string) }
            if let critical { terms.isCritical = critical }
            if let minimumShell { terms.minimumShell = minimumShell }
            if let notes { terms.notes = notes }
        }
    }

    private static func text(of file: String) throws(BundleError) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw BundleError(.inputUnavailable, "\(Printable.line(file)) can't be read; name the file with the notes")
        }
        guard bytes.count <= ReleaseTerms.maximumNotesByteCount else {
            throw BundleError(
                .invalidArgument,
                "\(Printable.line(file)) has \(bytes.count) bytes; the limit for notes is "
                    + "\(ReleaseTerms.maximumNotesByteCount), shorten them"
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw BundleError(.invalidArgument, "\(Printable.line(file)) isn't text in UTF-8; convert it")
        }
        return text
    }
}
