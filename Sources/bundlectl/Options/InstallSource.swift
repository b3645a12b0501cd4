import ArgumentParser
import BundleStore
import Foundation

/// What is installed, on the command line: a file or a folder, or what a URL leads to.
enum InstallSource: ExpressibleByArgument, Equatable {
    case file(String)
    case url(URL)

    /// Nil for a URL of `http` or `https` that can't be fetched.
    init?(argument: String) {
        let scheme = argument.prefix { $0 != ":" }.lowercased()
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
