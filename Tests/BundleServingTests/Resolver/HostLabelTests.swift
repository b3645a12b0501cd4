import BundleServing
import BundleStore
import Testing

@Suite("The label of a bundle's host")
struct HostLabelTests {
    @Test(
        "is the name itself, or one label that encodes it",
        arguments: [
            ("shop", "shop"), ("my-shop", "my-shop"), ("2048", "2048"), ("a--b", "a--b"), ("n-x", "n-x"),
            ("my.shop", "n--my-dshop"), ("my_shop", "n--my-ushop"), ("a.b-c_d", "n--a-db-hc-ud"), ("a-", "n--a-h"),
            ("n--a", "n--n-h-ha"), ("xn--a", "n--xn-h-ha"),
            (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
        ]
    )
    func label(_ name: String, _ label: String) throws {
        let name = try #require(BundleName(name))
        #expect(HostLabel.label(of: name) == label)
        #expect(HostLabel.name(of: label) == name)
    }

    @Test(
        "doesn't exist for a name that is too long (RFC 1035 §2.3.4)",
        arguments: [
            String(repeating: "a", count: 64), String(repeating: "a.", count: 21),
            String(repeating: "a", count: 60) + ".",
        ]
    )
    func tooLong(_ name: String) throws {
        #expect(HostLabel.label(of: try #require(BundleName(name))) == nil)
    }

    @Test(
        "is refused when no name has it",
        arguments: ["", "-a", "a-", "a.b", "a_b", "A", "xn--a", "n--a", "n--a-", "n--a-x", "n---da", "n--n--a", "é"]
    )
    func invalid(_ label: String) {
        #expect(HostLabel.name(of: label) == nil)
    }

    @Test("is a host label (RFC 952) and differs from every other name's")
    func bijection() throws {
        let characters = Array("an.-_x0")
        var names = characters.map { String($0) }
        var last = names
        for _ in 0..<3 {
            last = last.flatMap { name in characters.map { "\(name)\($0)" } }
            names += last
        }
        let bundles = names.compactMap(BundleName.init)
        let labels = bundles.compactMap(HostLabel.label)
        #expect(labels.count == bundles.count)
        #expect(Set(labels).count == labels.count)
        for (name, label) in zip(bundles, labels) {
            #expect(HostLabel.name(of: label) == name)
            #expect(!label.contains(".") && !label.contains("_") && label.first != "-" && label.last != "-")
        }
    }
}
