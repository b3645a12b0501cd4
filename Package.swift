// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["OFFLINE_BUNDLES_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

// Compiled quickly in an optimised build too: what tests call is optimised, and that is where their time goes.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS]

// Apple's systems have no libdeflate and no zstd. There zlib takes the place of the one, and zstd is a package of its own.
// APPLE_GRAPH=FOLDER resolves the package on Linux as on a Mac, with zstd's package in FOLDER; see scripts/check-apple.
#if os(macOS)
    let zstdPackage: Package.Dependency? = .package(url: "https://github.com/facebook/zstd", from: "1.5.7")
#else
    let zstdPackage = Context.environment["APPLE_GRAPH"].map { Package.Dependency.package(name: "zstd", path: $0) }
#endif
let isAppleGraph = zstdPackage != nil
let zstd: [Target.Dependency] = isAppleGraph ? [.product(name: "libzstd", package: "zstd")] : ["CZstd"]
let deflate: [Target.Dependency] = isAppleGraph ? [] : ["CDeflate"]
// Apple's systems have RSA in Security, and CryptoExtras would add BoringSSL to apps.
let rsa: [Target.Dependency] =
    isAppleGraph ? [] : [.product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["RSA"]))]
// URLSession isn't safe on Linux, see BundleClient+Network.swift.
let appNetwork: [Target.Dependency] =
    isAppleGraph ? [] : [.target(name: "BundleTransport", condition: .when(platforms: [.linux]))]

let package = Package(
    name: "offline-bundles",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "OfflineBundles", targets: ["OfflineBundles"]),
        .library(name: "OfflineBundlesReader", targets: ["BundleStore", "BundleServing"]),
        .library(name: "OfflineBundlesTransport", targets: ["BundleTransport"]),
        .library(name: "OfflineBundlesTar", targets: ["BundleTar"]),
        .library(name: "offlinebundles", type: .dynamic, targets: ["BundleCInterface"]),
        .library(name: "OfflineBundlesWebKit", targets: ["BundleWebKit"]),
        .library(name: "OfflineBundlesServer", targets: ["BundleServer"]),
        .executable(name: "bundlectl", targets: ["bundlectl"]),
    ],
    traits: [
        .trait(name: "CNetwork", description: "The C library can ask the network."),
        .trait(name: "RSA", description: "Signatures by RSA are verified; on Linux their code has 0.8 MB."),
        .default(enabledTraits: ["CNetwork", "RSA"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ] + (zstdPackage.map { [$0] } ?? []),
    targets: [
        .systemLibrary(
            name: "CArchive",
            pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]
        ),
        .systemLibrary(
            name: "CZlib",
            // That of a Mac isn't for its simulators and devices; the SDKs have the library.
            pkgConfig: isAppleGraph ? nil : "zlib",
            providers: [.apt(["zlib1g-dev"])]
        ),
        .systemLibrary(
            name: "CDeflate",
            pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]
        ),
        .systemLibrary(
            name: "CLZMA",
            pkgConfig: "liblzma",
            providers: [.apt(["liblzma-dev"]), .brew(["xz"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]
        ),
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlienc",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]
        ),
        .systemLibrary(name: "CIconv"),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CSpawn"),
        .target(name: "CFileUser"),
        .target(name: "CMappedFault"),
        .systemLibrary(
            name: "CNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
        ),
        .target(name: "Zstandard", dependencies: zstd, swiftSettings: settings),
        .target(name: "BundleModel", dependencies: [.crypto], swiftSettings: settings),
        .target(
            name: "BundleArchive",
            dependencies: ["BundleModel", "CIconv", "CZlib", "Zstandard"] + deflate,
            swiftSettings: settings,
            // Elsewhere iconv is a part of the C library.
            linkerSettings: [.linkedLibrary("iconv", .when(platforms: applePlatforms))]
        ),
        .target(
            name: "BundleTar",
            dependencies: ["BundleArchive", "BundleModel", "CArchive", "CLZMA"],
            swiftSettings: settings
        ),
        .target(
            name: "BundleStore",
            dependencies: [
                "BundleModel", "CFileUser", "CMappedFault",
                .crypto, .grdb,
                .grdbSQLite, .system,
            ],
            exclude: isAppleGraph ? [] : ["PrivacyInfo.xcprivacy"],
            resources: isAppleGraph ? [.copy("PrivacyInfo.xcprivacy")] : [],
            swiftSettings: settings
        ),
        .target(
            name: "HTTPCore",
            dependencies: ["BundleModel", .httpTypes],
            swiftSettings: settings
        ),
        .target(
            name: "BundleInstall",
            dependencies: ["BundleArchive", "BundleStore", "HTTPCore", "Zstandard"],
            swiftSettings: settings
        ),
        .target(name: "BundleServing", dependencies: ["BundleStore", "HTTPCore", .httpTypes], swiftSettings: settings),
        .target(name: "BundleUsage", dependencies: ["BundleStore", "HTTPCore", .httpTypes], swiftSettings: settings),
        .target(
            name: "BundleCoding",
            dependencies: ["BundleStore", "CBrotli", "CDeflate", "CZlib", "Zstandard", .system],
            swiftSettings: settings
        ),
        .target(
            name: "BundleNetwork",
            dependencies: ["BundleServing", "BundleStore", "BundleUsage", "HTTPCore", .httpTypes],
            swiftSettings: settings
        ),
        .target(
            name: "BundleTrust",
            dependencies: ["BundleModel", .crypto] + rsa,
            swiftSettings: settings
        ),
        .target(
            name: "BundleUpdate",
            dependencies: [
                "BundleInstall", "BundleModel", "BundleStore", "BundleTrust", "HTTPCore", .crypto, .httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundlePublishing",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleModel", "BundleServing", "BundleStore", "BundleTar",
                "BundleTrust",
                "BundleUpdate", "CArchive", "CDeflate", "CZlib", "HTTPCore", "Zstandard",
                .crypto, .cryptoExtras, .httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundleEmbedding",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleModel", "BundleNetwork", "BundleServing", "BundleStore",
                "BundleUpdate", "BundleUsage", "HTTPCore", .httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(name: "CBundle"),
        .target(
            name: "BundleCInterface",
            dependencies: [
                "BundleEmbedding", "BundleInstall", "BundleNetwork", "BundleServing", "BundleStore", "BundleUpdate",
                "BundleUsage", "CBundle",
                .target(name: "BundleTar", condition: .when(platforms: [.linux])),
                .target(name: "BundleTransport", condition: .when(platforms: [.linux], traits: ["CNetwork"])),
                .target(name: "OfflineBundles", condition: .when(platforms: applePlatforms, traits: ["CNetwork"])),
                .httpTypes,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "OfflineBundles",
            dependencies: ["BundleEmbedding", "BundleModel", "BundleUpdate", "HTTPCore", .httpTypes] + appNetwork,
            swiftSettings: settings + (isAppleGraph ? [] : [.define("SwiftNIO", .when(platforms: [.linux]))])
        ),
        .target(name: "SelfSignedCertificates", dependencies: [.crypto], swiftSettings: settings),
        .target(
            name: "BundleWebKit",
            dependencies: ["BundleModel", "HTTPCore", "OfflineBundles", .httpTypes],
            swiftSettings: settings
        ),
        .target(
            name: "BundleTransport",
            dependencies: [
                "BundleModel", "CZlib", "HTTPCore", .httpTypes, .nioCore, .nioPosix, .nioSSL, .nioTLS,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ServerCore",
            dependencies: [
                "BundleModel", "CNghttp2", "HTTPCore",
                .target(name: "CEpoll", condition: .when(platforms: [.linux])),
                .httpTypes, .logging, .nioCore, .nioPosix, .nioSSL, .nioTLS, .serviceLifecycle, .system,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundleServer",
            dependencies: [
                "BundleCoding", "BundleNetwork", "BundleServing", "BundleStore", "BundleTransport", "BundleUpdate",
                "BundleUsage", "HTTPCore", "ServerCore", .httpTypes, .logging, .serviceLifecycle, .unixSignals,
            ],
            resources: [
                .embedInCode("Overview/overview.css"), .embedInCode("Dashboard/dashboard.html"),
                .embedInCode("Dashboard/dashboard.css"), .embedInCode("Dashboard/dashboard.js"),
                .embedInCode("Dashboard/bundles.js"), .embedInCode("Dashboard/connection.js"),
                .embedInCode("Dashboard/elements.js"), .embedInCode("Dashboard/figures.js"),
                .embedInCode("Dashboard/format.js"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "bundlectl",
            dependencies: [
                "BundleArchive", "BundleCoding", "BundleInstall", "BundleNetwork", "BundlePublishing", "BundleServer",
                "BundleServing", "BundleStore", "BundleTar", "BundleTransport", "BundleUpdate", "BundleUsage",
                "HTTPCore",
                .target(name: "CSpawn", condition: .when(platforms: [.linux])),
                .argumentParser, .configuration, .crypto, .httpTypes, .logging, .system,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BundleTesting",
            dependencies: [
                "BundleInstall", "BundleServing", "BundleStore", "BundleTransport", "HTTPCore",
                "SelfSignedCertificates",
                .crypto, .httpTypes, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "origin-simulator",
            dependencies: ["BundleTesting", .argumentParser, .httpTypes, .unixSignals],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tuf-client",
            dependencies: ["BundleModel", "BundleTransport", "BundleTrust", "HTTPCore", .argumentParser, .httpTypes],
            swiftSettings: settings
        ),
        .testTarget(
            name: "BundleModelTests",
            dependencies: ["BundleModel", "BundleTesting"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleArchiveTests",
            dependencies: ["BundleArchive", "BundleModel", "BundlePublishing", "BundleTar", "BundleTesting", "CZlib"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleStoreTests",
            dependencies: ["BundleCoding", "BundleModel", "BundleStore", "BundleTesting", .grdb, .system],
            swiftSettings: testSettings
        ),
        // What the fuzz targets call, on their corpora; see Tests/Fuzzing/Package.swift.
        .testTarget(
            name: "FuzzCorpusTests",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleModel", "BundleServing", "BundleStore", "BundleTar",
                "BundleTransport", "BundleTrust", "BundleUpdate", "HTTPCore",
                .httpTypes, .system,
            ],
            path: "Tests/Fuzzing",
            exclude: [
                "Corpus", "Package.swift", "Sources/FuzzArchive", "Sources/FuzzFeed", "Sources/FuzzHead",
                "Sources/FuzzIndex", "Sources/FuzzManifest", "Sources/FuzzMetadata", "Sources/FuzzPatch",
                "Sources/FuzzResponse", "Sources/FuzzSegment",
            ],
            sources: ["CorpusTests", "Sources/FuzzInputs"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleInstallTests",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundlePublishing", "BundleStore", "BundleTar", "BundleTesting",
                "HTTPCore", "Zstandard",
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleServingTests",
            dependencies: ["BundleServing", "BundleStore", "BundleTesting", "HTTPCore", .httpTypes],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleCodingTests",
            dependencies: ["BundleCoding", "BundleStore", "BundleTesting", "Zstandard"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleNetworkTests",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleNetwork", "BundlePublishing", "BundleServing", "BundleStore",
                "BundleTesting", "BundleUpdate", "BundleUsage", "HTTPCore", .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "HTTPCoreTests",
            dependencies: ["BundleModel", "BundleServing", "BundleStore", "BundleTesting", "HTTPCore", .httpTypes],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleUsageTests",
            dependencies: ["BundleUsage"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleUpdateTests",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundleModel", "BundlePublishing", "BundleServing", "BundleStore",
                "BundleTar", "BundleTesting", "BundleTrust", "BundleUpdate", "HTTPCore", .crypto, .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundlePublishingTests",
            dependencies: [
                "BundleArchive", "BundleInstall", "BundlePublishing", "BundleStore", "BundleTar", "BundleTesting",
                "BundleTrust", "BundleUpdate", "HTTPCore", .crypto, .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleTrustTests",
            dependencies: ["BundleModel", "BundleTesting", "BundleTrust", .crypto],
            exclude: ["Python", "PythonRepository"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleEmbeddingTests",
            dependencies: [
                "BundleEmbedding", "BundleInstall", "BundleNetwork", "BundleServing", "BundleStore", "BundleTesting",
                "BundleUpdate", "BundleUsage", "HTTPCore", .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleTransportTests",
            dependencies: [
                "BundleModel", "BundleNetwork", "BundleServing", "BundleStore", "BundleTesting", "BundleTransport",
                "BundleUpdate", "CZlib", "HTTPCore", "OfflineBundles", .httpTypes, .logging, .nioCore, .nioPosix,
                .nioSSL,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "OfflineBundlesTests",
            dependencies: [
                "BundleModel", "BundleTesting", "BundleTransport", "BundleUpdate", "HTTPCore", "OfflineBundles",
                .httpTypes,
                .nioCore, .nioSSL, .nioTLS,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleWebKitTests",
            dependencies: ["BundleModel", "BundleTesting", "BundleWebKit", "OfflineBundles", .httpTypes],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "ServerCoreTests",
            dependencies: [
                "BundleModel", "BundleServing", "BundleStore", "BundleTesting", "HTTPCore", "ServerCore", .httpTypes,
                .logging,
                .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .serviceLifecycle,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleServerTests",
            dependencies: [
                "BundleCoding", "BundleInstall", "BundleNetwork", "BundleServer", "BundleServing", "BundleStore",
                "BundleTar", "BundleTesting", "BundleTransport", "BundleUpdate", "BundleUsage", "CNghttp2", "HTTPCore",
                "ServerCore",
                .httpTypes, .logging, .nioCore, .nioEmbedded, .nioPosix, .nioSSL, .serviceLifecycle, .system,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "bundlectlTests",
            dependencies: [
                "BundleArchive", "bundlectl", "BundleNetwork", "BundlePublishing", "BundleServer", "BundleServing",
                "BundleStore", "BundleTar", "BundleTesting", "BundleTransport", "BundleUpdate", "BundleUsage",
                "HTTPCore",
                .argumentParser,
                .httpTypes, .logging,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "SurfaceTests",
            dependencies: [
                "BundleCInterface", "bundlectl", "BundleEmbedding", "BundleNetwork", "BundleServing", "BundleStore",
                "BundleTesting", "BundleTransport", "CBundle", "HTTPCore", "OfflineBundles", .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleTestingTests",
            dependencies: [
                "BundleStore", "BundleTesting", "HTTPCore", "origin-simulator", .httpTypes, .nioCore, .nioPosix,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "BundleCInterfaceTests",
            dependencies: [
                "BundleCInterface", "BundleEmbedding", "BundleServing", "BundleStore", "BundleTesting", "CBundle",
                .httpTypes,
            ],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "BundleArchive", "BundlePublishing", "BundleServing", "BundleStore", "BundleTar", "BundleTesting",
                "BundleTransport", "BundleUpdate", "HTTPCore", "bundlectl", "origin-simulator", .httpTypes,
            ],
            swiftSettings: testSettings
        ),
    ]
)

// A window needs WebKitGTK 6.0, which not every machine has: HYBRID_SHELL=1 adds the shell. No other module is compiled again.
if Context.environment["HYBRID_SHELL"] != nil {
    package.products.append(.executable(name: "hybrid-shell", targets: ["HybridShell"]))
    package.targets += [
        .systemLibrary(
            name: "CWebKitGTK",
            pkgConfig: "webkitgtk-6.0",
            providers: [.apt(["libwebkitgtk-6.0-dev"])]
        ),
        .executableTarget(
            name: "HybridShell",
            dependencies: [
                "BundleModel", "BundleServing", "BundleStore", "BundleTar", "BundleTransport", "BundleUpdate",
                "BundleWebKit", "CWebKitGTK", "HTTPCore", "OfflineBundles", "SelfSignedCertificates",
                .argumentParser, .crypto, .httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HybridShellTests",
            dependencies: [
                "bundlectl", "BundleModel", "BundleTesting", "BundleWebKit", "HTTPCore", "HybridShell",
                "OfflineBundles", "origin-simulator",
                .httpTypes,
            ],
            swiftSettings: testSettings
        ),
    ]
}

// What Linux can prove of Apple's systems: apps' modules and their tests, without all that needs other libraries.
if Context.environment["APPLE_GRAPH"] != nil {
    let modules: Set = [
        "CFileUser", "CIconv", "CMappedFault", "CZlib", "Zstandard", "BundleModel", "BundleArchive", "BundleStore",
        "HTTPCore",
        "BundleInstall", "BundleServing", "BundleTrust", "BundleUsage", "BundleNetwork", "BundleUpdate",
        "BundleEmbedding",
        "OfflineBundles",
        "BundleWebKit", "BundleTransport", "SelfSignedCertificates", "BundleTesting",
    ]
    let tests = [
        "BundleArchiveTests", "BundleEmbeddingTests", "BundleInstallTests", "BundleWebKitTests", "OfflineBundlesTests",
        "SurfaceTests",
    ]
    package.targets.removeAll { !modules.contains($0.name) && !tests.contains($0.name) }
    package.products.removeAll {
        !["OfflineBundles", "OfflineBundlesReader", "OfflineBundlesWebKit"].contains($0.name)
    }
    for target in package.targets where tests.contains(target.name) {
        target.dependencies.removeAll { dependency in
            if case .byNameItem(let name, _) = dependency { !modules.contains(name) } else { false }
        }
    }
    // The app of the article “An iOS app in ten minutes”.
    package.targets.append(
        .executableTarget(
            name: "AppleApp",
            dependencies: ["BundleWebKit", "OfflineBundles"],
            path: "Tests/AppleApp/Sources",
            swiftSettings: settings
        )
    )
    // Declarations of the project's own in place of those frameworks that it uses, each after those that it needs.
    for (framework, users) in [
        ("BackgroundTasks", ["OfflineBundles", "OfflineBundlesTests"]),
        ("Network", ["BundleNetwork", "BundleEmbeddingTests"]),
        ("Security", ["BundleTrust"]),
        ("UIKit", ["AppleApp"]),
        ("SwiftUI", ["AppleApp"]),
        ("WebKit", ["AppleApp", "BundleWebKit", "BundleWebKitTests"]),
    ] {
        let path = "Tests/AppleStubs/\(framework)"
        let isOfViews = ["SwiftUI", "WebKit"].contains(framework)
        package.targets.append(
            .target(name: framework, dependencies: isOfViews ? ["UIKit"] : [], path: path, swiftSettings: settings)
        )
        for target in package.targets where users.contains(target.name) {
            target.dependencies.append(.target(name: framework))
        }
    }
    for target in package.targets where target.name == "SurfaceTests" {
        target.exclude = ["BundleVerb", "CSurface", "EndpointSurface", "WebViewSurface"].map { "Surfaces/\($0).swift" }
    }
    for target in package.targets where target.name == "BundleArchiveTests" {
        target.sources = ["Zip", "ExtractedFiles.swift", "FileWindowTests.swift", "TemporaryArchive.swift"]
    }
    // The others make archives and patches with what publishes them.
    for target in package.targets where target.name == "BundleInstallTests" {
        target.sources = ["Contents/ZstandardFrameTests.swift", "Patch/PatchDecoderTests.swift"]
    }
} else {
    #if os(Linux)
        // Nothing may depend on it: the end-to-end tests preload the library into the program that they run.
        package.targets.append(.target(name: "FaultInjection", cSettings: [.define("_GNU_SOURCE")]))
        package.products.append(.library(name: "FaultInjection", type: .dynamic, targets: ["FaultInjection"]))
    #endif
}

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let configuration = product(name: "Configuration", package: "swift-configuration")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let logging = product(name: "Logging", package: "swift-log")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let serviceLifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let system = product(name: "SystemPackage", package: "swift-system")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
}
