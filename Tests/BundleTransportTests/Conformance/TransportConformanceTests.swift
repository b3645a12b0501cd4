import BundleTransport
import OfflineBundles
import Testing

/// What ``/BundleNetwork/OriginTransport`` promises, on each transport. The subjects have files of their own.
@Suite("A transport", .timeLimit(.minutes(2)))
struct TransportConformanceTests {
    @Test("is missing what its platform forces, for a reason", arguments: TransportPromise.allCases)
    func reasons(_ promise: TransportPromise) {
        // The row of the table; what it does instead is checked by the test of the promise.
        print("\(promise.rawValue): NIOTransport yes; URLSessionTransport \(promise.urlSessionReason ?? "yes")")
        #expect(TransportKind.nio.keeps(promise))
    }
}
