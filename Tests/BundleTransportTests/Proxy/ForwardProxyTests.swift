import BundleModel
import BundleNetwork
import HTTPCore
import Testing

@testable import BundleTransport

@Suite("A forward proxy's URL")
struct ForwardProxyTests {
    @Test(
        "names its host and port, and perhaps a user and a password",
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128", nil), ("proxy.example:3128", "proxy.example:3128", nil),
            ("HTTP://Proxy.Example/", "proxy.example:80", nil),
            ("http://[2001:db8::1]:8080", "[2001:db8::1]:8080", nil),
            ("http://me:secret@10.0.0.1:3128", "10.0.0.1:3128", "Basic bWU6c2VjcmV0"),
            ("me:s%40%3A@a.example", "a.example:80", "Basic bWU6c0A6"),
            ("me:s@t@a.example", "a.example:80", "Basic bWU6c0B0"),
            ("http://me@a.example", "a.example:80", "Basic bWU6"),
        ]
    )
    func accepted(_ url: String, _ authority: String, _ field: String?) throws {
        let proxy = try ForwardProxy(url)
        #expect(proxy.authority == authority)
        #expect(proxy.credential?.fieldValue == field)
        #expect("\(proxy)" == authority)
        #expect(ForwardProxy.hasCredential(url) == (field != nil))
    }

    @Test(
        "is refused otherwise, in a message without the password",
        arguments: [
            ("socks5://me:secret@a.example:1080", "its scheme is socks5, and only http is supported"),
            ("https://a.example", "only http is supported"), ("", "http://HOST:PORT"), ("http://", "http://HOST:PORT"),
            ("http://me:secret@a b", "http://HOST:PORT"), ("http://me:secret@a.example/path", "http://HOST:PORT"),
            ("http://a.example:99999", "http://HOST:PORT"),
            ("http://me:%zzsecret@a.example", "percent-encode its user"),
            ("http://me:%0Asecret@a.example", "percent-encode its user"),
            ("http://a%3Ab:secret@a.example", "percent-encode"),
        ]
    )
    func refused(_ url: String, _ reason: String) {
        let error = #expect(throws: BundleError.self) { try ForwardProxy(url) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }
}
