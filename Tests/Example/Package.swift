// swift-tools-version: 6.3

import PackageDescription

// One import is enough for all of the API, also where Swift wants the module of each member.
let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

// An app as someone else would write it: a package of its own, which sees the products and nothing else of the package
// above. scripts/test builds it, and ExampleTests of EndToEndTests runs it.
let package = Package(
    name: "example",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "offline-bundles", path: "../..")],
    targets: [
        .executableTarget(
            name: "Example",
            dependencies: [.product(name: "OfflineBundles", package: "offline-bundles")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Tutorial",
            dependencies: [.product(name: "OfflineBundles", package: "offline-bundles")],
            swiftSettings: settings
        ),
    ]
)
