import ArgumentParser
import BundleNetwork
import BundleStore
import Foundation

/// To whom a release is offered, and what the feed says about it.
struct TermsOptions: ParsableArguments {
    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp(
            "A channel that offers the release; may be repeated. Default: stable, but none for a pre-release."
        )
    )
    var channels: [ChannelName] = []

    @Option(help: ArgumentHelp("Offer it to this share of the installations: 10%, 12.5%.", valueName: "percent"))
    var rollout = Rollout.everyone

    @Flag(help: "The releases before it must not go on being used.")
    var critical = false

    @Option(help: ArgumentHelp("The lowest version of the shell that it runs in.", valueName: "version"))
    var minimumShell: BundleVersion?

    @Option(
        help: ArgumentHelp("A file with what is new: text of at most 4 KiB.", valueName: "file"),
        completion: .file()
    )
    var notes: String?

    /// - Throws: `BundleError` with code `invalidArgument` when the notes can't be read.
    func terms() throws(BundleError) -> ReleaseTerms {
        ReleaseTerms(
            channels: channels.map(\.string),
            rollout: rollout,
            isCritical: critical,
            minimumShell: minimumShell,
            notes: try notes.map(Self.text(of:))
        )
    }

    private static func text(of file: String) throws(BundleError) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw BundleError(.invalidArgument, "\(Printable.line(file)) can't be read; name the file with the notes")
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
