import CBundle
import HTTPTypes
import Testing

@testable import BundleCInterface

@Suite("Requests from C")
struct LoadRequestTests {
    @Test("content has its length stated, also where the program states another", arguments: ["", "hello"])
    func length(_ content: String) throws {
        let request = try "https://m.example.com/shop/".withCString { url in
            try "POST".withCString { method in
                try Array(content.utf8).withUnsafeBytes { bytes in
                    try "Content-Length".withCString { name in
                        try "99".withCString { value in
                            var field = ob_field(name: name, value: value)
                            return try withUnsafePointer(to: &field) { field in
                                var call = ob_request(
                                    size: MemoryLayout<ob_request>.size,
                                    url: url,
                                    method: method,
                                    fields: field,
                                    field_count: 1,
                                    content: content.isEmpty ? nil : bytes.baseAddress,
                                    content_length: bytes.count,
                                    is_page: 0
                                )
                                return try LoadRequest(&call)
                            }
                        }
                    }
                }
            }
        }
        #expect(request.request.headerFields[.contentLength] == (content.isEmpty ? nil : "5"))
    }
}
