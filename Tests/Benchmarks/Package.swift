// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that the main build needs neither the benchmark library nor what it brings along.
let package = Package(
    name: "offline-bundles-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "offline-bundles", path: "../.."),
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        // Counts calls of malloc, which the benchmark library doesn't without jemalloc.
        .target(name: "CAllocationCount"),
        .executableTarget(
            name: "StoreBenchmarks",
            dependencies: [
                "CAllocationCount",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "OfflineBundles", package: "offline-bundles"),
            ],
            path: "Benchmarks/StoreBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
    ]
)
