// swift-tools-version: 6.2

import PackageDescription

// A package of its own: libFuzzer instruments everything that it is built with. scripts/fuzz builds and runs it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // libFuzzer brings the program's start.
    .unsafeFlags(["-parse-as-library"]),
]

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: ["FuzzSupport"] + dependencies, swiftSettings: settings)
}

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "offline-bundles", path: "../.."),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .target(name: "FuzzSupport"),
        fuzzer("FuzzArchive", [.product(name: "OfflineBundlesNetwork", package: "offline-bundles")]),
        fuzzer("FuzzFeed", [.product(name: "OfflineBundlesNetwork", package: "offline-bundles")]),
        fuzzer("FuzzIndex", [.product(name: "OfflineBundles", package: "offline-bundles"), system]),
        fuzzer("FuzzManifest", [.product(name: "OfflineBundles", package: "offline-bundles")]),
        fuzzer("FuzzSegment", [.product(name: "OfflineBundles", package: "offline-bundles"), system]),
    ]
)
