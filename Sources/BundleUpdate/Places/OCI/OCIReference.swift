import BundleModel
import BundleStore
import Foundation
import HTTPCore

/// A place in a registry of containers, by the OCI's distribution specification: `oci://registry[:port]/repository[:tag]`. A value type;
/// safe to share between threads.
package struct OCIReference: Hashable, Sendable, CustomStringConvertible {
    /// The tag of a reference that has none.
    package static let defaultTag = "feed"
    /// The name of the file that a reference leads to.
    package static let feedTitle = "feed.json"
    private static let prefix = "oci://"
    /// What other clients take, with the host (distribution-spec, “Pulling manifests”).
    private static let maximumNameByteCount = 255
    private static let maximumTagByteCount = 128

    /// The host in lower case, and the port unless it is the default one.
    package let registry: String
    /// The path of the repository: lower case, with slashes between its components.
    package let repository: String
    /// The tag whose manifest has the files.
    package let tag: String
    /// Whether it is the machine itself, which is asked over http, as docker(1) does.
    package let isLoopback: Bool

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when the text isn't such a reference. The message has no user
    ///   and password, which a reference can't have.
    package init(_ text: String) throws(BundleError) {
        guard Self.isPlace(text) else {
            throw Self.refusal(text, "begins with another scheme than oci://")
        }
        let rest = text.dropFirst(Self.prefix.count)
        guard let slash = rest.firstIndex(of: "/") else { throw Self.refusal(text, "names no repository") }
        let path = rest[rest.index(after: slash)...]
        guard !path.contains("@") else {
            throw Self.refusal(text, "has a digest, of which no other version can follow")
        }
        let colon = path.firstIndex(of: ":")
        let tag = colon.map { String(path[path.index(after: $0)...]) } ?? Self.defaultTag
        try self.init(String(rest[..<slash]), String(path[..<(colon ?? path.endIndex)]), tag, text)
    }

    private init(_ authority: String, _ repository: String, _ tag: String, _ text: String) throws(BundleError) {
        guard let secure = OriginTarget("https://" + authority), let plain = OriginTarget("http://" + authority),
            secure.path == "/", let host = try? HTTPURL(secure.origin).host
        else { throw Self.refusal(text, "names no host that can be asked") }
        isLoopback = NetworkScope(ofHost: host) == .loopback
        registry = isLoopback ? plain.authority : secure.authority
        guard registry.utf8.count + 1 + repository.utf8.count <= Self.maximumNameByteCount,
            repository.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isComponent)
        else {
            throw Self.refusal(
                text,
                "has a repository that isn't lower-case letters and digits, with single separators between them"
            )
        }
        guard Self.isTag(tag) else {
            throw Self.refusal(text, "has a tag that isn't up to 128 letters, digits, “_”, “.” and “-”")
        }
        (self.repository, self.tag) = (repository, tag)
    }

    /// Whether a text has this scheme: then it isn't a path.
    package static func isPlace(_ text: String) -> Bool { text.prefix(prefix.count).lowercased() == prefix }

    /// `oci://registry/repository:tag`.
    package var description: String { "\(Self.prefix)\(registry)/\(repository):\(tag)" }

    /// The URL of the feed, beside which the other files are.
    package var feedURL: URL? { URL(string: "\(description)/\(Self.feedTitle)") }

    /// The origin of the registry's API.
    package var origin: String { "\(isLoopback ? "http" : "https")://\(apiAuthority)" }

    /// What a registry is called in docker's configuration.
    package var credentialKey: String { isDockerHub ? "https://index.docker.io/v1/" : registry }

    /// Docker's own registry has other names for other uses.
    private var isDockerHub: Bool { ["docker.io", "index.docker.io", "registry-1.docker.io"].contains(registry) }
    private var apiAuthority: String { isDockerHub ? "registry-1.docker.io" : registry }

    /// Whether a text can be a tag: `[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}`.
    package static func isTag(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= maximumTagByteCount else { return false }
        let isBeginning = ASCII.isAlphanumeric(first) || first == UInt8(ascii: "_")
        return isBeginning && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "_.-".utf8.contains($0) }
    }

    /// `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
    private static func isComponent(_ text: Substring) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        var rest = text.utf8[...]
        while true {
            let plain = rest.prefix(while: isPlain)
            rest = rest[plain.endIndex...]
            guard !plain.isEmpty else { return false }
            guard !rest.isEmpty else { return true }
            let separator = Array(rest.prefix { !isPlain($0) })
            rest = rest.dropFirst(separator.count)
            let isSeparator =
                [[UInt8(ascii: ".")], Array("_".utf8), Array("__".utf8)].contains(separator)
                || separator.allSatisfy { $0 == UInt8(ascii: "-") }
            guard isSeparator else { return false }
        }
    }

    private static func refusal(_ text: String, _ problem: String) -> BundleError {
        BundleError(
            .invalidArgument,
            "“\(URL.reported(text))” \(problem); name a place as oci://registry[:port]/repository[:tag]"
        )
    }
}

extension OCIReference {
    /// Whether a text can be the title of a layer, under which other clients save it: the name of a file, in printable ASCII.
    package static func isTitle(_ text: String) -> Bool {
        ConfinedFile.isName(text) && text.utf8.count <= 255
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }

    /// The title of the layer that a URL names beside the feed; nil for one that isn't there.
    func title(of url: URL) -> String? {
        let text = url.absoluteString
        let folder = "\(description)/"
        guard Self.isPlace(text), case let text = Self.prefix + text.dropFirst(Self.prefix.count),
            text.hasPrefix(folder), !text.contains("?"), !text.contains("#"),
            let title = PercentEncoding.decode(text.dropFirst(folder.count).utf8), Self.isTitle(title)
        else { return nil }
        return title
    }

    /// The reference of a feed's URL, see ``feedURL``; nil for another URL.
    package init?(feed url: URL) {
        let text = url.absoluteString
        guard let slash = text.lastIndex(of: "/"), text[..<slash].utf8.contains(UInt8(ascii: ":")),
            let reference = try? OCIReference(String(text[..<slash])), reference.title(of: url) != nil
        else { return nil }
        self = reference
    }
}
