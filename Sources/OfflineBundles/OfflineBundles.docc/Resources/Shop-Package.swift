// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "shop-app",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(path: "../offline-bundles")],
    targets: [
        .executableTarget(
            name: "ShopApp",
            dependencies: [.product(name: "OfflineBundles", package: "offline-bundles")]
        )
    ]
)
