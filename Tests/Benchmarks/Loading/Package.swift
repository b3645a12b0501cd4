// swift-tools-version: 6.3

import PackageDescription

// A package of its own, as an app has one: it sees the products of the package above and nothing else.
let package = Package(
    name: "loading-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "offline-bundles", path: "../../..")],
    targets: [
        .executableTarget(
            name: "LoadingBenchmark",
            dependencies: [
                .product(name: "OfflineBundles", package: "offline-bundles"),
                .product(name: "OfflineBundlesTar", package: "offline-bundles"),
                .product(name: "OfflineBundlesTransport", package: "offline-bundles"),
            ]
        )
    ]
)
