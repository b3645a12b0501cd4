import Foundation

/// The executables of the package's build, for tests that run them.
package enum BuiltProducts {
    /// The folder of the running test bundle, which also has the package's executables.
    package static var directory: URL {
        // On macOS the tests run in a tool of Xcode that has loaded the bundle; elsewhere the bundle is the program.
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let program = bundle?.bundleURL ?? Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return program.resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The absolute path of the executable product `name`, for example `bundlectl`.
    package static func path(of name: String) -> String {
        directory.appendingPathComponent(name).path
    }
}
