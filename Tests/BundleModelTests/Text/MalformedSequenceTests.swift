import BundleModel
import Testing

struct MalformedSequenceTests {
    @Test(
        "a percent sign without two hexadecimal digits is found, with what follows it",
        arguments: [
            ("/a%20b%C3%a4", nil), ("/a%zz", "%zz"), ("/100%", "%"), ("/%4", "%4"), ("/%%41", "%%4"), ("", nil),
            ("/%41/%g0", "%g0"),
        ] as [(String, String?)]
    )
    func first(_ text: String, _ sequence: String?) {
        #expect(PercentEncoding.malformedSequence(in: text) == sequence)
    }
}
