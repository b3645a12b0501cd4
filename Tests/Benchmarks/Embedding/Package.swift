// swift-tools-version: 6.3

import PackageDescription

// A package of its own, as an app has one: it sees the products of the package above and nothing else.
let package = Package(
    name: "embedding-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "offline-bundles", path: "../../..")],
    targets: [
        .target(
            name: "CResolveLoop",
            dependencies: [.product(name: "offlinebundles", package: "offline-bundles")]
        ),
        .executableTarget(
            name: "EmbeddingBenchmark",
            dependencies: [
                "CResolveLoop",
                .product(name: "OfflineBundles", package: "offline-bundles"),
                .product(name: "OfflineBundlesTar", package: "offline-bundles"),
            ]
        ),
    ]
)
