import ArgumentParser
import BundleInstall
import BundleNetwork
import BundlePublishing
import BundleStore
import BundleUpdate
import Foundation

/// What is installed, on the command line: a file or a folder, also by a `file` URL, or what another URL leads to.
enum InstallSource: ExpressibleByArgument, Equatable {
    case file(String)
    case url(URL)

    /// Nil for a URL of `http` or `https` that can't be fetched, and for one of `file` that isn't a file's here. A bucket and a repository
    /// stand for the feed in them.
    init?(argument: String) {
        let scheme = argument.prefix { $0 != ":" }.lowercased()
        guard scheme != "file" || !argument.dropFirst(scheme.count).hasPrefix("://") else {
            guard let file = FileURL(argument) else { return nil }
            self = .file(file.path)
            return
        }
        if let place = try? PublishedPlace(argument: argument), let feed = place.feedURL {
            self = .url(feed)
            return
        }
        guard ["http", "https"].contains(scheme), argument.dropFirst(scheme.count).hasPrefix("://") else {
            self = .file(argument)
            return
        }
        guard let url = FeedURL(argument: argument)?.url else { return nil }
        self = .url(url)
    }

    /// Nil for a file.
    var url: URL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The feed that it is, if it is one in a file: a file that begins as a feed does, or the feed in a folder that isn't a
    /// bundle's.
    ///
    /// - Parameter isDescribed: Whether options say what the bundle is, so that a folder needs no manifest.
    func localFeed(isDescribed: Bool) -> URL? {
        guard case .file(let path) = self else { return nil }
        guard isFolder else { return Self.isFeed(path) ? Self.url(path) : nil }
        let feed = "\(path)/\(FeedFolder.feedFileName)"
        // A site may have a feed of another kind at this name.
        let isBundle =
            FileManager.default.fileExists(atPath: "\(path)/\(BundleManifest.fileName)")
            || isDescribed && !Self.hasReleases(feed)
        return !isBundle && FileManager.default.fileExists(atPath: feed) ? Self.url(feed) : nil
    }

    /// The first of the folders in a folder, such as a stick, that have feeds; nil for none, and for the folder of a bundle.
    var feedFolder: String? {
        guard isFolder, case .file(let path) = self,
            !FileManager.default.fileExists(atPath: "\(path)/\(BundleManifest.fileName)")
        else { return nil }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().first { Self.hasReleases("\(path)/\($0)/\(FeedFolder.feedFileName)") }.map {
            "\(path)/\($0)"
        }
    }

    /// Whether a file begins like a JSON object; what can't be read doesn't.
    private static func isFeed(_ path: String) -> Bool {
        guard let beginning = try? InputDocument(path, atMost: Installer.recognitionByteCount).bytes else {
            return false
        }
        return !Installer.recognises(beginning) && FeedRecognition.isBeginning(beginning)
    }

    /// Whether a file is a feed throughout.
    private static func hasReleases(_ path: String) -> Bool {
        guard let bytes = try? InputDocument(path, atMost: Feed.maximumByteCount).bytes else { return false }
        return FeedRecognition.isFeed(bytes, at: url(path))
    }

    /// The URL of a file.
    static func url(_ path: String) -> URL { URL(fileURLWithPath: path).standardizedFileURL }

    /// Whether it is a folder that is there.
    var isFolder: Bool {
        guard case .file(let path) = self else { return false }
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The scheme of what looks like a URL that can't be fetched; nil for a file that is there.
    var foreignScheme: String? {
        guard case .file(let path) = self, let end = path.range(of: "://"),
            !FileManager.default.fileExists(atPath: path)
        else { return nil }
        let scheme = path[..<end.lowerBound]
        let isScheme = scheme.utf8.allSatisfy { HTTPSyntax.isTokenByte($0) } && scheme.first?.isLetter == true
        return isScheme ? String(scheme) : nil
    }

    /// As messages show it.
    var text: String {
        switch self {
        case .file(let path): path
        case .url(let url): url.absoluteString
        }
    }
}
