import ArgumentParser
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleTransport
import BundleUpdate
import Foundation

/// A place that releases are published to, on the command line: a folder, `s3://BUCKET/PREFIX` or `oci://REGISTRY/REPOSITORY[:TAG]`.
enum PublishedPlace: Equatable {
    case folder(String)
    case bucket(S3Location)
    case repository(OCIReference)

    /// For an option's `transform`.
    ///
    /// - Throws: `ValidationError`.
    init(argument: String) throws {
        do throws(BundleError) {
            let feed = "/\(FeedFolder.feedFileName)"
            let place = argument.hasSuffix(feed) ? String(argument.dropLast(feed.count)) : argument
            switch argument.prefix(while: { $0 != ":" }).lowercased() {
            case _ where !argument.contains("://"): self = .folder(argument)
            case "s3": self = .bucket(try S3Location(place))
            case "oci": self = .repository(try OCIReference(place))
            default:
                throw BundleError(
                    .invalidArgument,
                    "“\(Printable.text(argument))” can't be published to; name a folder, s3://BUCKET/PREFIX or "
                        + "oci://REGISTRY/REPOSITORY"
                )
            }
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// The URL of the feed in it; nil for a folder.
    var feedURL: URL? {
        switch self {
        case .folder: nil
        case .bucket(let location): location.feedURL
        case .repository(let reference): reference.feedURL
        }
    }

    /// As the command line has it, absolute if it is a folder.
    var absoluteText: String {
        switch self {
        case .folder(let path): URL(fileURLWithPath: path).path
        case .bucket(let location): "\(location)"
        case .repository(let reference): "\(reference)"
        }
    }

    /// Whether nothing is named.
    var isEmpty: Bool { self == .folder("") }
}

/// How a publisher's verb reaches places.
struct PlaceAccessOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Publish to an object store that ignores the conditions of writes, though two publishers at the same time then undo "
                + "what the other did."
        )
    )
    var unsafeConcurrent = false

    @OptionGroup(title: "Reaching other hosts")
    var reach: NetworkAccessOptions

    /// Makes a change of a place's feed, or only reads it.
    ///
    /// - Parameters:
    ///   - needed: The names of the files besides the feed and its documents that `body` reads, by the feed.
    ///   - body: Is called again where others publish at the same time.
    /// - Throws: What `body` throws; as `PlacePublication`.
    func publishing<Result>(
        to place: PublishedPlace,
        _ output: OutputOptions,
        needing needed: (FeedDocument?) -> Set<String> = { _ in [] },
        _ body: (FeedFolder) async throws -> Result
    ) async throws -> Result {
        if case .folder(let path) = place { return try await body(FeedFolder(path)) }
        let access = try reach.read(warn: output.console.warn)
        return try await access.withTransport { transport in
            let remote = try self.place(place, over: transport, output)
            return try await output.console.showingProgress("sending") { bar in
                try await PlacePublication(remote).run(needing: needed, progress: { bar.update($0) }, body)
            }
        }
    }

    private func place(
        _ place: PublishedPlace,
        over transport: NIOTransport,
        _ output: OutputOptions
    ) throws -> any PublishingPlace {
        let places = OperatorPlaces.ofEnvironment
        switch place {
        case .bucket(let location):
            let client = S3Client(
                location,
                configuration: try places.objectStore(),
                transport: transport,
                userAgent: ProductVersion.userAgent
            )
            let console = output.console
            return S3PublishingPlace(client, permitsUnsafeConcurrency: unsafeConcurrent) { notice in
                console.warn([Advice.line(notice)])
            }
        case .repository(let reference):
            let client = OCIClient(
                reference,
                .pullAndPush,
                over: transport,
                userAgent: ProductVersion.userAgent,
                credential: places.registry
            )
            return OCIPublishingPlace(client)
        case .folder(let path):
            throw BundleError(.invalidArgument, "\(Printable.line(path)) is a folder")
        }
    }
}

extension OperatorPlaces {
    /// The settings that other programs for object stores and registries have on this machine.
    static let ofEnvironment = OperatorPlaces(
        objectStore: {
            let environment = ProcessInfo.processInfo.environment
            return try S3Configuration(
                environment: environment,
                credentialsFile: text(of: S3Configuration.credentialsPath(environment: environment)),
                configFile: text(of: S3Configuration.configPath(environment: environment))
            )
        },
        registry: { reference in
            let files = DockerCredentials.paths(in: ProcessInfo.processInfo.environment)
            return try await DockerCredentials(files: files)
                .credential(for: reference.credentialKey, running: CredentialHelper.run)
        }
    )

    /// The longest file of settings in bytes.
    private static let maximumByteCount = 1 << 20

    private static func text(of path: String?) throws(BundleError) -> String? {
        guard let path, FileManager.default.fileExists(atPath: path) else { return nil }
        return String(decoding: try InputDocument(path, atMost: maximumByteCount).bytes, as: UTF8.self)
    }
}
