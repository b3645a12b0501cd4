import Testing

@testable import bundlectl

@Suite("Words in unit files and crontabs")
struct QuotingTests {
    @Test(
        "an argument of ExecStart",
        arguments: [
            ("/srv/store", "/srv/store"), ("a b", #""a b""#), ("50%", #""50%%""#), ("$HOME", #""$$HOME""#),
            (#"a"b\c"#, #""a\"b\\c""#), ("", "\"\""), ("é;x", #""é;x""#), ("--keep", "--keep"),
        ]
    )
    func argument(_ text: String, _ quoted: String) {
        #expect(SystemdQuoting.argument(text) == quoted)
    }

    @Test("no variable is expanded in the program's path", arguments: [("/a $b", #""/a $b""#), ("/a%b", #""/a%%b""#)])
    func program(_ path: String, _ quoted: String) {
        #expect(SystemdQuoting.program(path) == quoted)
    }

    @Test(
        "a word of a crontab",
        arguments: [
            ("/srv/store", "/srv/store"), ("a b", "'a b'"), ("50%", #"'50\%'"#), ("it's", #"'it'\''s'"#),
            ("$HOME", "'$HOME'"),
            ("", "''"), ("*", "'*'"),
        ]
    )
    func crontab(_ text: String, _ quoted: String) {
        #expect(CrontabQuoting.word(text) == quoted)
    }
}
