import BundleStore
import Foundation

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
