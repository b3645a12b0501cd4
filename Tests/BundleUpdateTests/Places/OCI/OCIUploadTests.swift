import BundleModel
import BundleTesting
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundleUpdate

/// How blobs are uploaded.
struct OCIUploadTests {
    private static let short = Array("0123456789".utf8)
    /// More than two chunks.
    private static let long = [UInt8](repeating: 7, count: Int(OCIUpload.chunkByteCount) * 2 + 5)

    private static func upload(
        _ bytes: [UInt8],
        to registry: MemoryRegistry,
        progress: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws {
        let client = OCIClient(try OCIReference(MemoryRegistry.reference), .pullAndPush, over: registry)
        try await client.upload(
            Digest(of: bytes),
            size: Int64(bytes.count),
            reading: { Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)]) },
            progress: progress
        )
    }

    private static func methods(_ registry: MemoryRegistry) -> [String] { registry.requests.map(\.method.rawValue) }

    @Test func `a short blob is sent at once, and one that is there isn't sent`() async throws {
        let registry = MemoryRegistry()
        for _ in 1...2 { try await Self.upload(Self.short, to: registry) }
        try await Self.upload([], to: registry)
        #expect(Self.methods(registry) == ["HEAD", "POST", "PUT", "HEAD", "HEAD", "POST", "PUT"])
        #expect(registry.blobs == [MemoryRegistry.digest([]), MemoryRegistry.digest(Self.short)].sorted())
    }

    @Test func `a long blob is sent in chunks`() async throws {
        let registry = MemoryRegistry()
        let steps = Monitor<[Int64]>([])
        try await Self.upload(Self.long, to: registry) { step in steps.update { $0.append(step) } }
        #expect(Self.methods(registry) == ["HEAD", "POST", "PATCH", "PATCH", "PATCH", "PUT"])
        #expect(registry.blobs == [MemoryRegistry.digest(Self.long)])
        let chunk = OCIUpload.chunkByteCount
        #expect(steps.state == [0, chunk, 2 * chunk, 2 * chunk + 5, 2 * chunk + 5])
        #expect(registry.requests[3].headerFields[.contentRange] == "\(chunk)-\(2 * chunk - 1)")
    }

    @Test func `a registry that needs longer chunks gets them`() async throws {
        let registry = MemoryRegistry()
        registry.interception = { request in
            guard request.method == .post else { return nil }
            registry.interception = { _ in nil }
            var response = try await registry.send(OriginCall(request))
            response = OriginResponse(
                response.head.status,
                response.head.headerFields + [
                    HTTPField.Name("OCI-Chunk-Min-Length")!: "\(OCIUpload.chunkByteCount * 3 / 2)"
                ],
                ""
            )
            return response
        }
        try await Self.upload(Self.long, to: registry)
        #expect(Self.methods(registry).filter { $0 == "PATCH" }.count == 2)
    }

    @Test func `a chunk that was lost is sent again, from what the registry has`() async throws {
        let registry = MemoryRegistry()
        let isBroken = Atomic(true)
        registry.interception = { request in
            guard request.headerFields[.contentRange]?.hasPrefix("0-") == false,
                isBroken.exchange(false, ordering: .relaxed)
            else {
                return nil
            }
            throw OriginResponse.connectionLost
        }
        try await Self.upload(Self.long, to: registry)
        #expect(Self.methods(registry) == ["HEAD", "POST", "PATCH", "PATCH", "GET", "PATCH", "PATCH", "PUT"])
        #expect(registry.blobs == [MemoryRegistry.digest(Self.long)])
    }

    @Test func `an upload that the registry has lost begins again, and so does one with other bytes there`()
        async throws
    {
        for status in [HTTPResponse.Status.notFound, .noContent] {
            let registry = MemoryRegistry()
            let isBroken = Atomic(true)
            registry.interception = { request in
                if request.method == .get { return OriginResponse(status) }
                guard request.headerFields[.contentRange]?.hasPrefix("0-") == false,
                    isBroken.exchange(false, ordering: .relaxed)
                else { return nil }
                throw OriginResponse.connectionLost
            }
            try await Self.upload(Self.long, to: registry)
            #expect(
                Self.methods(registry) == [
                    "HEAD", "POST", "PATCH", "PATCH", "GET", "HEAD", "POST", "PATCH", "PATCH", "PATCH", "PUT",
                ]
            )
        }
    }

    @Test func `a blob that arrived, while the response was lost, isn't sent again`() async throws {
        let registry = MemoryRegistry()
        registry.interception = { request in
            guard request.method == .put else { return nil }
            registry.add(Self.short, titled: "it")
            throw OriginResponse.connectionLost
        }
        try await Self.upload(Self.short, to: registry)
        #expect(Self.methods(registry) == ["HEAD", "POST", "PUT", "HEAD"])
    }

    @Test func `a registry that goes on failing is left, and one that refuses at once`() async throws {
        let registry = MemoryRegistry()
        registry.interception = { $0.method == .post ? MemoryRegistry.error(.internalServerError, "UNKNOWN") : nil }
        await #expect(throws: BundleError.self) { try await Self.upload(Self.short, to: registry) }
        #expect(Self.methods(registry) == (1...5).flatMap { _ in ["HEAD", "POST"] })
        for status in [HTTPResponse.Status.forbidden, .tooManyRequests, .badRequest] {
            registry.clearLog()
            registry.interception = { $0.method == .post ? MemoryRegistry.error(status, "DENIED") : nil }
            await #expect(throws: BundleError.self) { try await Self.upload(Self.short, to: registry) }
            #expect(Self.methods(registry) == ["HEAD", "POST"])
        }
    }

    @Test func `no bytes go where the registry leads from https to http`() async throws {
        let registry = MemoryRegistry()
        registry.interception = { request in
            request.method == .post
                ? OriginResponse(.accepted, [.location: "http://registry.example.com/upload"], "") : nil
        }
        await #expect(throws: BundleError.self) { try await Self.upload(Self.short, to: registry) }
        #expect(!Self.methods(registry).contains("PUT"))
    }
}
