import Benchmark
import BundleServing
import BundleStore
import CAllocationCount

let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration.metrics = [.wallClock, .allocations]
    Benchmark.defaultConfiguration.maxDuration = .seconds(3)
    addResolving()
    addFinding()
    addOpening()
    addDigesting()
}

private func addResolving() {
    for exponent in 2...6 {
        let count = (0..<exponent).reduce(1) { product, _ in product * 10 }
        addResolving("resolve, 10^\(exponent) files") { try SampleStore(fileCount: count) }
        addResolving("resolve, 10^\(exponent) files, from all over", isHot: false) { try SampleStore(fileCount: count) }
    }
    for count in [1, 10, 100, 1_000] {
        addResolving("resolve, \(count) bundles") { try SampleStore(bundleCount: count, fileCount: 100) }
    }
}

private func addResolving(
    _ name: String,
    isHot: Bool = true,
    _ store: @escaping @Sendable () throws -> SampleStore
) {
    add(name, scalingFactor: .kilo) {
        try ResolveSample(try store(), isHot: isHot)
    } measured: { sample in
        for url in sample.nextBatch() { blackHole(sample.resolver.resolve(url)) }
    }
}

private func addFinding() {
    for count in [100, 1_000_000] {
        add("version index, find among \(count)", scalingFactor: .kilo) {
            try FindSample(SampleStore(fileCount: count))
        } measured: { sample in
            for path in sample.paths { path.withUnsafeBytes { blackHole(sample.release.asset(atPath: $0)) } }
        }
    }
}

private func addOpening() {
    add("open to first look-up, 100000 files") {
        try OpenSample(SampleStore(fileCount: 100_000))
    } measured: { sample in
        blackHole(ResourceResolver(try sample.store.open().snapshot).resolve(sample.url))
    }
    add("open, 1000 bundles") {
        try OpenSample(SampleStore(bundleCount: 1_000, fileCount: 100))
    } measured: { sample in
        blackHole(try sample.store.open())
    }
    add("make a resolver, 1000 bundles") {
        try OpenSample(SampleStore(bundleCount: 1_000, fileCount: 100))
    } measured: { sample in
        blackHole(ResourceResolver(sample.snapshot))
    }
}

private func addDigesting() {
    add("SHA-256, 64 MiB") {
        DigestSample()
    } measured: { sample in
        blackHole(Digest(of: sample.content))
    }
    add("verify, 64 files of 1 MiB") {
        try OpenSample(SampleStore(fileCount: 64, byteCount: 1 << 20))
    } measured: { sample in
        blackHole(try sample.opened.verify())
    }
}

/// Adds a benchmark that makes its sample first and removes it afterwards.
private func add<Value: Sample>(
    _ name: String,
    scalingFactor: BenchmarkScalingFactor = .one,
    _ makeSample: @escaping @Sendable () throws -> Value,
    measured: @escaping @Sendable (Value) throws -> Void
) {
    let sample = SampleSlot<Value>()
    var configuration = Benchmark.defaultConfiguration
    configuration.scalingFactor = scalingFactor
    Benchmark(name, configuration: configuration) { benchmark in
        guard let sample = sample.value else { return }
        let before = allocation_count()
        benchmark.startMeasurement()
        try measured(sample)
        benchmark.stopMeasurement()
        benchmark.measurement(.allocations, Int(allocation_count() - before))
    } setup: {
        sample.value = try makeSample()
    } teardown: {
        sample.value?.remove()
        sample.value = nil
    }
}

extension BenchmarkMetric {
    /// Calls of malloc and its like.
    static let allocations = BenchmarkMetric.custom("Allocations")
}
