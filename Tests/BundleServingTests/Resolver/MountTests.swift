import BundleServing
import BundleStore
import Testing

@Suite("Mounts")
struct MountTests {
    @Test(
        "a mount is a name and a path",
        arguments: [("shop=/", []), ("shop=/a", ["a"]), ("shop=/a/b/", ["a", "b"]), ("shop=/a%20b", ["a b"])]
    )
    func valid(text: String, components: [String]) {
        #expect(Mount(text)?.name.string == "shop")
        #expect(Mount(text)?.components == components)
    }

    @Test(
        "anything else isn't a mount",
        arguments: ["", "shop", "shop=", "=/", "shop=a", "shop=/../a", "shop=//", "sh op=/"]
    )
    func invalid(text: String) {
        #expect(Mount(text) == nil)
    }
}
