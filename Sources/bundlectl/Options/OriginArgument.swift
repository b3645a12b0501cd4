import ArgumentParser
import BundleStore
import Foundation

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
