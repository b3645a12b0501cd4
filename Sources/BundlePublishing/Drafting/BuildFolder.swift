import BundleInstall
import BundleServing
import BundleStore
import Foundation

/// What the files of a build say about the bundle that they make: its name and version, its page, its routes.
package struct BuildFolder {
    /// The folders that tools build into; the name of such a one says nothing.
    private static let outputNames: Set<String> = [
        "dist", "build", "out", "public", "www", "_site", "site", "html", "browser",
    ]
    /// How many files are looked at.
    private static let maximumFileCount = 100_000
    private static let maximumPackageByteCount = 1 << 20

    package let folder: String
    /// The HTML files, by their paths in the folder.
    package let pages: [String]
    private let names: [String]
    private let hasScripts: Bool
    private let package: JSONValue?
    /// The package.json beside the folder.
    private let project: JSONValue?
    /// The path as it was given.
    private let given: String

    /// Looks at a folder.
    ///
    /// - Throws: `BundleError` with code `inputUnavailable` when it isn't a folder.
    package init(_ folder: String) throws(BundleError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw BundleError(
                .inputUnavailable,
                "\(Printable.line(folder)) is not a folder; name that of a build's files"
            )
        }
        let url = URL(fileURLWithPath: folder).standardizedFileURL
        let names = Self.files(in: folder)
        self.folder = url.path
        self.names = names
        pages = names.filter { $0.hasSuffix(".html") }.sorted()
        hasScripts = names.contains { $0.hasSuffix(".js") || $0.hasSuffix(".mjs") }
        given = folder
        project = Self.package(in: url.deletingLastPathComponent())
        package = Self.package(in: url) ?? project
    }

    /// Where a manifest outlasts the next build. Beside a package.json a folder such as `dist` is one that a build empties.
    package var manifestPlace: ManifestPlace {
        guard isOutput, let project else { return ManifestPlace(in: given) }
        return ManifestPlace(ofBuild: given, using: Self.packages(of: project)) { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    /// Whether tools build into a folder of this name.
    private var isOutput: Bool {
        Self.outputNames.contains(URL(fileURLWithPath: folder).lastPathComponent.lowercased())
    }

    /// The name in package.json, without its scope, else the folder's, or that of the folder around one that tools build into.
    package var name: BundleName? {
        let url = URL(fileURLWithPath: folder)
        let last = url.lastPathComponent
        let folderName = isOutput ? url.deletingLastPathComponent().lastPathComponent : last
        return string("name").flatMap(Self.bundleName) ?? Self.bundleName(folderName)
    }

    /// The version in package.json.
    package var version: BundleVersion? { string("version").flatMap { BundleVersion($0) } }

    /// The page of the root: `index.html`, or the only page at the root.
    package var entry: String? {
        let top = pages.filter { !$0.contains("/") }
        if top.contains(BundleManifest.defaultEntry.string) { return BundleManifest.defaultEntry.string }
        return top.count == 1 ? top.first : nil
    }

    /// Whether the only page is an app's, whose script knows the routes.
    package var isSinglePageApp: Bool { pages.count == 1 && entry != nil && hasScripts }

    /// How many files of each folder, such as `/assets/`, have a name with a hash of the content.
    package var hashedFileCounts: [String: Int] {
        // Vite's is in a hidden folder, and is packed all the same.
        NameSurvey.hashedFileCounts(names + [".vite/manifest.json"]) { path, count in
            guard let file = FileHandle(forReadingAtPath: "\(folder)/\(path)") else { return nil }
            defer { try? file.close() }
            return (try? file.read(upToCount: count)).map { Array($0) }
        }
    }

    private func string(_ key: String) -> String? {
        guard case .object(let object) = package, case .string(let text) = object[key] else { return nil }
        return text
    }

    /// What a package.json depends on.
    private static func packages(of package: JSONValue) -> Set<String> {
        guard case .object(let object) = package else { return [] }
        let names = ["dependencies", "devDependencies"].flatMap { key -> [String] in
            guard case .object(let packages) = object[key] else { return [] }
            return packages.members.map(\.key)
        }
        return Set(names)
    }

    /// `@scope/My App 2.0` is `my-app-2-0`: a label of a host name (RFC 1123 §2.1), so that it is the bundle's host too.
    package static func bundleName(_ text: String) -> BundleName? {
        let last = text.split(separator: "/").last ?? ""
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789")
        let words = last.lowercased().split { !allowed.contains($0) }
        let label = words.joined(separator: "-").prefix(HostLabel.maximumByteCount)
        return BundleName(String(label.hasSuffix("-") ? label.dropLast() : label))
    }

    /// Hidden files and those of node_modules aren't packed either.
    private static func files(in folder: String) -> [String] {
        let walk = FileManager.default.enumerator(atPath: folder)
        var names: [String] = []
        while names.count < maximumFileCount, let path = walk?.nextObject() as? String {
            let name = path.split(separator: "/").last ?? ""
            if name.hasPrefix(".") || name == "node_modules" { walk?.skipDescendants() } else { names.append(path) }
        }
        return names
    }

    private static func package(in folder: URL) -> JSONValue? {
        let path = folder.appending(path: "package.json").path
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= maximumPackageByteCount else {
            return nil
        }
        return try? JSONElement(
            parsing: Array(bytes),
            named: "package.json",
            maximumByteCount: maximumPackageByteCount,
            refusedAs: .invalidArgument
        ).value
    }
}

/// Where `init` writes a manifest: where the next build doesn't remove it. A value type.
package struct ManifestPlace: Equatable {
    /// The manifest's path.
    package let path: String
    /// Where it is written too, because the build copies it there; nil for nowhere.
    package var copy: String?
    /// Whether other verbs have to be told it with --manifest.
    package var isElsewhere = false

    /// The folders whose files tools copy into their output, by the package that does so: the first that is there counts, since
    /// some build on others.
    private static let copyingTools = [
        ("@sveltejs/kit", "static"), ("gatsby", "static"), ("@docusaurus/core", "static"), ("astro", "public"),
        ("next", "public"), ("nuxt", "public"), ("react-scripts", "public"), ("@vue/cli-service", "public"),
        ("vite", "public"),
    ]

    /// In the folder itself.
    package init(in folder: String) { self.init("\(folder)/\(BundleManifest.fileName)") }

    /// At the path that a person gives.
    package init(at path: String) { self.init(path, isElsewhere: true) }

    private init(_ path: String, copy: String? = nil, isElsewhere: Bool = false) {
        (self.path, self.copy, self.isElsewhere) = (path, copy, isElsewhere)
    }

    /// For what a build has written: in the folder of the project that the build copies into it, else beside it.
    ///
    /// - Parameters:
    ///   - folder: The folder, as a person gives it.
    ///   - packages: The packages that the project uses.
    ///   - isFolder: Whether there is a folder at a path.
    package init(ofBuild folder: String, using packages: Set<String>, isFolder: (String) -> Bool) {
        let project = Self.parent(of: folder)
        func path(_ name: String) -> String { project.isEmpty ? name : "\(project)/\(name)" }
        let source = Self.copyingTools.first { packages.contains($0.0) }.map { path($0.1) }
        guard let source, isFolder(source) else {
            self.init(at: path(BundleManifest.fileName))
            return
        }
        let own = ManifestPlace(in: folder).path
        let isSource = Self.standard(source) == Self.standard(folder)
        self.init(isSource ? own : "\(source)/\(BundleManifest.fileName)", copy: isSource ? nil : own)
    }

    /// The folder around one; empty for the current one.
    private static func parent(of folder: String) -> String {
        let last = (folder as NSString).lastPathComponent
        return [".", "..", ""].contains(last) ? "\(folder)/.." : (folder as NSString).deletingLastPathComponent
    }

    private static func standard(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
