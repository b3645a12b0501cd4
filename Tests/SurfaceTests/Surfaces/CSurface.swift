import BundleCInterface
import BundleNetwork
import BundleTesting
import CBundle
import Foundation
import HTTPCore

/// The functions of `offline_bundles.h`.
final class CSurface: Surface {
    /// What a function has failed with.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ error: OpaquePointer?) {
            description = error.map { String(cString: ob_error_message($0)) } ?? "no error"
            ob_error_free(error)
        }
    }

    // Every function may be called on any thread.
    private nonisolated(unsafe) let client: OpaquePointer
    private let world: SurfaceWorld

    init(_ world: SurfaceWorld) throws {
        var options = ob_options()
        options.size = MemoryLayout<ob_options>.size
        options.flags = ob_option_flags(OB_DEVELOPMENT)
        var error: OpaquePointer?
        guard let client = ob_open(world.store, &options, &error) else { throw Failure(error) }
        (self.client, self.world) = (client, world)
    }

    func send(_ request: ConformanceRequest) async throws -> RawResponse {
        try await Self.onThread { [self] in try load(request) }
    }

    func update() async throws {
        try await Self.onThread { [self] in
            try Self.check { ob_update(client, "shop", nil, nil, nil, nil, $0) }
        }
    }

    func rollBack() async throws {
        try await Self.onThread { [self] in try Self.check { ob_roll_back(client, "shop", nil, $0) } }
    }

    func setRules(_ json: String) async throws { try Self.check { ob_set_rules(client, json, nil, $0) } }

    func close() async throws { try await Self.onThread { [self] in ob_close(client) } }

    private func load(_ request: ConformanceRequest) throws -> RawResponse {
        let texts = CTexts()
        let fields = request.fields.map { ob_field(name: texts.add($0.name), value: texts.add($0.value)) }
        let content = request.content.map { Array($0.utf8) }
        var error: OpaquePointer?
        let response = fields.withUnsafeBufferPointer { fields in
            (content ?? []).withUnsafeBytes { bytes in
                var call = ob_request(
                    size: MemoryLayout<ob_request>.size,
                    url: texts.add(world.url(request.target)),
                    method: texts.add(request.method),
                    fields: fields.baseAddress,
                    field_count: fields.count,
                    content: content == nil ? nil : bytes.baseAddress,
                    content_length: bytes.count,
                    is_page: request.isPage ? 1 : 0
                )
                return ob_load(client, &call, 0, &error)
            }
        }
        guard let response else { throw Failure(error) }
        defer { ob_response_free(response) }
        return Self.copy(of: response)
    }

    private static func copy(of response: OpaquePointer) -> RawResponse {
        let fields = (0..<ob_response_field_count(response)).compactMap { index in
            ob_response_field_name(response, index).flatMap { name in
                ob_response_field_value(response, index).map { (String(cString: name), String(cString: $0)) }
            }
        }
        var length = 0
        let bytes = ob_response_body(response, &length)
        return RawResponse(
            status: Int(ob_response_status(response)),
            fields: fields.map { (name: $0.0, value: $0.1) },
            body: Array(UnsafeRawBufferPointer(start: bytes, count: length))
        )
    }

    private static func check(_ call: (UnsafeMutablePointer<OpaquePointer?>) -> ob_status) throws {
        var error: OpaquePointer?
        guard call(&error) == OB_OK else { throw Failure(error) }
    }

    /// Runs what waits on a thread of its own.
    private static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(BlockingExecutor()) { try body() }
    }
}

/// Texts that live as long as this.
private final class CTexts {
    private var texts: [UnsafeMutablePointer<CChar>] = []

    func add(_ text: String) -> UnsafePointer<CChar> {
        let copy = text.withCString { strdup($0)! }
        texts.append(copy)
        return UnsafePointer(copy)
    }

    deinit {
        for text in texts { free(text) }
    }
}
