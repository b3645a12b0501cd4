// swift-tools-version: 6.3

import PackageDescription

// A separate package: libFuzzer instruments everything that it is built with. scripts/fuzz builds and runs it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func fuzzer(_ name: String) -> Target {
    // libFuzzer has the program's entry point.
    .executableTarget(
        name: name,
        dependencies: ["FuzzInputs"],
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
    )
}

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "offline-bundles", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // The functions that the fuzzers call. FuzzCorpusTests of the package above compiles them too.
        .target(
            name: "FuzzInputs",
            dependencies: [
                .product(name: "OfflineBundles", package: "offline-bundles"),
                .product(name: "OfflineBundlesTar", package: "offline-bundles"),
                .product(name: "OfflineBundlesTransport", package: "offline-bundles"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        fuzzer("FuzzArchive"),
        fuzzer("FuzzFeed"),
        fuzzer("FuzzHead"),
        fuzzer("FuzzIndex"),
        fuzzer("FuzzManifest"),
        fuzzer("FuzzMetadata"),
        fuzzer("FuzzPatch"),
        fuzzer("FuzzResponse"),
        fuzzer("FuzzSegment"),
    ]
)
