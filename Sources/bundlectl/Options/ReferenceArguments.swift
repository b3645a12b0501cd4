import ArgumentParser
import BundleNetwork
import BundleStore
import BundleUpdate
import Foundation

/// `NAME` or `NAME@VERSION` on the command line.
struct BundleReference: ExpressibleByArgument, Equatable {
    let name: BundleName
    let version: BundleVersion?

    init?(argument: String) {
        let parts = argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = BundleName(parts[0]) else { return nil }
        guard parts.count == 2 else {
            (self.name, version) = (name, nil)
            return
        }
        guard let version = BundleVersion(parts[1]) else { return nil }
        (self.name, self.version) = (name, version)
    }

    /// The release to use: the version named, else the active one, else the latest installed.
    ///
    /// - Throws: `BundleError` with code `notFound` when the store doesn't hold it, `storeDamaged` when it can't
    ///   be opened.
    func release(in store: BundleStore) throws(BundleError) -> Release {
        let release = try knownRelease(in: store)
        if let error = release.openingError { throw error }
        return release
    }

    /// The same, including one that can't be opened.
    func knownRelease(in store: BundleStore) throws(BundleError) -> Release {
        let bundle = try store.bundle(name)
        let named = version.map { bundle.release($0) ?? bundle.damagedRelease($0) }
        if let release = named ?? bundle.current { return release }
        if version == nil || version?.string == bundle.activeVersion?.string, let error = bundle.damagedRowError {
            throw error
        }
        let label = "\(name)\(version.map { "@\($0)" } ?? "")"
        throw BundleError(.notFound, "\(label) is not installed; installed: \(bundle.installedText)")
    }
}

/// `NAME@VERSION` on the command line.
extension ReleaseName: ExpressibleByArgument {
    /// Parses an argument. Returns nil when the name or the version is invalid or missing.
    public init?(argument: String) {
        guard let reference = BundleReference(argument: argument), let version = reference.version else { return nil }
        self.init(reference.name, version)
    }
}

/// A channel on the command line, under the manifest's rules.
struct ChannelName: ExpressibleByArgument, Equatable {
    let string: String

    init?(argument: String) {
        guard BundleManifest.isChannel(argument) else { return nil }
        string = argument
    }
}

/// A group of installations on the command line, under the rules of channels.
struct GroupName: ExpressibleByArgument, Equatable {
    let string: String

    init?(argument: String) {
        guard BundleManifest.isChannel(argument) else { return nil }
        string = argument
    }
}

/// A feed's URL on the command line, under the manifest's rules.
struct FeedURL: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        guard let parsed = try? HTTPURL(argument), !parsed.hasFragment,
            let url = URL(string: argument, encodingInvalidCharacters: false)
        else { return nil }
        self.url = url
    }
}

/// Where an operator reads a feed: a URL as ``FeedURL`` takes it, or a file's, as on a stick.
struct FeedPlace: ExpressibleByArgument, Equatable {
    let url: URL

    init?(argument: String) {
        let file = FileURL(argument).map { URL(fileURLWithPath: $0.path) }
        guard let url = file ?? FeedURL(argument: argument)?.url else { return nil }
        self.url = url
    }
}

/// `URL` or `URL=PATH` on the command line: a URL prefix and the folder of the bundle that it is mapped to.
struct OriginArgument: ExpressibleByArgument, Equatable {
    let mapping: OriginMapping

    /// The last `=/` separates; a URL may have an equals sign of its own.
    init?(argument: String) {
        let separator = argument.range(of: "=/", options: .backwards)
        let url = separator.map { argument[..<$0.lowerBound] } ?? argument[...]
        let path = separator.map { argument[argument.index(after: $0.lowerBound)...] } ?? "/"
        guard let origin = try? OriginURL(String(url)), let folder = Self.folder(path) else { return nil }
        mapping = OriginMapping(origin: origin, folder: folder)
    }

    /// Nil when the path is invalid, nil inside for the bundle's root.
    private static func folder(_ path: Substring) -> BundlePath?? {
        guard path != "/" else { return .some(nil) }
        let inner = path.hasSuffix("/") ? path.dropFirst().dropLast() : path.dropFirst()
        return (try? BundlePath(String(inner))).map(Optional.some)
    }
}
