// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])

let package = Package(
    name: "offline-bundles",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "OfflineBundles", targets: ["BundleStore", "BundleServing"]),
        .library(name: "OfflineBundlesNetwork", targets: ["BundleInstall", "BundleNetwork"]),
        .executable(name: "bundlectl", targets: ["bundlectl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CArchive",
            pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]
        ),
        .target(name: "BundleArchive", dependencies: ["CArchive"], swiftSettings: settings),
        .target(
            name: "BundleStore",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(name: "BundleInstall", dependencies: ["BundleArchive", "BundleStore"], swiftSettings: settings),
        .target(
            name: "BundleServing",
            dependencies: ["BundleStore", .product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: settings
        ),
        .target(
            name: "BundleNetwork",
            dependencies: [
                "BundleInstall", "BundleServing", "BundleStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundleServer",
            dependencies: [
                "BundleNetwork", "BundleServing", "BundleStore",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "bundlectl",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleNetwork", "BundleServer", "BundleServing", "BundleStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundleTesting",
            dependencies: [
                "BundleNetwork", "BundleStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "origin-simulator",
            dependencies: ["BundleTesting", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: settings
        ),
        .testTarget(name: "BundleArchiveTests", dependencies: ["BundleArchive", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "BundleStoreTests", dependencies: ["BundleStore", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "BundleInstallTests", dependencies: ["BundleInstall", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "BundleServingTests", dependencies: ["BundleServing", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "BundleNetworkTests", dependencies: ["BundleNetwork", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "BundleServerTests", dependencies: ["BundleServer", "BundleTesting"], swiftSettings: settings),
        .testTarget(name: "EndToEndTests", dependencies: ["BundleTesting", "bundlectl", "origin-simulator"], swiftSettings: settings),
    ]
)
