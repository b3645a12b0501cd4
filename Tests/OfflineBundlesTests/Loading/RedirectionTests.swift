import Foundation
import HTTPTypes
import Testing

@testable import OfflineBundles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A redirect")
struct RedirectionTests {
    @Test(
        "keeps the method, or changes it to GET",
        arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (302, "POST", "GET"), (302, "PUT", "PUT"), (303, "PUT", "GET"),
            (303, "HEAD", "HEAD"), (307, "POST", "POST"), (308, "POST", "POST"), (301, "HEAD", "HEAD"),
        ]
    )
    func methods(_ status: Int, _ method: String, _ expected: String) throws {
        let next = try #require(try next(status, "/b", method))
        #expect(next.httpMethod == expected)
        let keepsContent = method == expected
        #expect((next.httpBody != nil) == keepsContent)
        #expect((next.value(forHTTPHeaderField: "Content-Type") != nil) == keepsContent)
    }

    @Test(
        "leads to an absolute URL, and takes credentials along within one origin only",
        arguments: [
            ("/b", "https://shop.example/b", true), ("b?c", "https://shop.example/a/b?c", true),
            ("//other.example/", "https://other.example/", false),
            ("http://shop.example/", "http://shop.example/", false),
            ("https://SHOP.example:443/x", "https://SHOP.example:443/x", true),
            ("https://shop.example:8443/x", "https://shop.example:8443/x", false),
        ]
    )
    func targets(_ location: String, _ url: String, _ keepsCredentials: Bool) throws {
        let next = try #require(try next(302, location, "GET"))
        #expect(next.url?.absoluteString == url)
        #expect((next.value(forHTTPHeaderField: "Authorization") != nil) == keepsCredentials)
        #expect(next.value(forHTTPHeaderField: "Cookie") == nil)
        #expect(next.value(forHTTPHeaderField: "Accept") == "text/html")
    }

    @Test("is none without a location, and with another status", arguments: [200, 300, 304, 305, 306, 400])
    func none(_ status: Int) throws {
        #expect(try next(status, "/b", "GET") == nil)
        #expect(try next(302, nil, "GET") == nil)
    }

    private func next(_ status: Int, _ location: String?, _ method: String) throws -> URLRequest? {
        var request = URLRequest(url: try #require(URL(string: "https://shop.example/a/x")))
        request.httpMethod = method
        request.httpBody = Data([1])
        for (name, value) in [
            ("Authorization", "Basic YQ=="), ("Cookie", "a=1"), ("Accept", "text/html"), ("Content-Type", "text/x"),
        ] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let fields: HTTPFields = location.map { [.location: $0] } ?? [:]
        return Redirection.request(after: HTTPResponse(status: .init(code: status), headerFields: fields), to: request)
    }
}
