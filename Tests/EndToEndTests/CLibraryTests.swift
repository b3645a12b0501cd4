import BundleTesting
import Foundation
import Testing

/// The library for programs in C: the header, and programs in C and Python on the shared library of this build.
struct CLibraryTests {
    private static let header = "Sources/CBundle/include/offline_bundles.h"
    private static let library = BuiltProducts.path(of: "libofflinebundles.so")

    private static func text(_ path: String) throws -> String {
        String(decoding: try Project.contents(path), as: UTF8.self)
    }

    /// The names of the functions that the header declares.
    private static func functions() throws -> [String] {
        try text(header).split(separator: "\n").filter { $0.hasPrefix("OB_API ") }.map { line in
            let name = try #require(line.prefix { $0 != "(" }.split(whereSeparator: { " *".contains($0) }).last)
            return String(name)
        }
    }

    private static func sources() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Project.path("Tests/CProgram"))
            .filter { $0.hasSuffix(".c") }.map { Project.path("Tests/CProgram/\($0)") }.sorted()
    }

    /// Compiles the program in C.
    private static func program(in directory: TemporaryDirectory, _ options: [String] = []) async throws -> String {
        let program = directory.path(of: "program")
        let compiled = try await ChildProcess.run(
            "clang",
            options + [
                "-g", "-std=c11", "-fuse-ld=lld", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-pthread",
                "-I", Project.path("Sources/CBundle/include"), "-o", program,
            ] + sources() + [library, "-Wl,-rpath,\(BuiltProducts.directory.path)"]
        )
        try #require(compiled.exitCode == 0, "\(compiled.errorOutput)")
        return program
    }

    /// Publishes 1.1.0 without signatures, and with them in another folder.
    private static func publish(_ publisher: Publisher, with bundlectl: Bundlectl) async throws {
        try await publisher.publish("1.1.0", with: bundlectl)
        let (archive, keys) = (publisher.archive("1.1.0"), publisher.directory.path(of: "keys"))
        try await bundlectl.expect(0, "keys", "init", "--in", keys)
        try await bundlectl.expect(0, "publish", archive, "--to", publisher.site + "/signed", "--keys", keys)
    }

    /// Runs a program with the places of the sample shop.
    private static func run(
        _ command: [String],
        _ publisher: Publisher,
        environment: [String: String] = [:]
    ) async throws -> ProcessResult {
        try await ChildProcess.run(
            command[0],
            command.dropFirst() + [
                publisher.directory.path(of: "embedded"), publisher.archive("1.0.0"), publisher.archive("1.1.0"),
                publisher.origin, publisher.site + "/signed/1.root.json",
            ],
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        )
    }

    @Test func `the list of symbols is that of the header's functions, and the library exports them`() async throws {
        let functions = try Self.functions()
        #expect(functions.count > 50)
        #expect(Set(functions).count == functions.count)
        let listed = try Self.text("scripts/c-library/symbols").split(separator: "\n").map { line in
            line.split(separator: " ").last.map(String.init)
        }
        #expect(listed == functions.sorted())
        let exported = try await ChildProcess.run("nm", ["-D", "--defined-only", Self.library]).output
        let names = exported.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(Set(functions).subtracting(names) == [])
        #expect(Set(names.filter { $0.hasPrefix("ob_") }) == Set(functions))
    }

    @Test(arguments: [("", 0), ("ob_open", 1), ("ob_traffic", 1)])
    func `a library with other symbols than the list's is refused`(missing: String, status: Int32) async throws {
        try await withTemporaryDirectory { directory in
            let functions = try Self.functions()
            let text = functions.filter { $0 != missing }.map { "void \($0)(void) {}\n" }.joined()
            let source = try directory.write(Array(text.utf8), to: "library.c")
            let map = try directory.write(Array("OFFLINEBUNDLES_1 { global: ob_*; local: *; };".utf8), to: "map")
            let library = directory.path(of: "library.so")
            let compiled = try await ChildProcess.run(
                "clang",
                ["-shared", "-fPIC", "-fuse-ld=lld", "-Wl,--version-script=\(map)", "-o", library, source]
            )
            try #require(compiled.exitCode == 0, "\(compiled.errorOutput)")
            let check = try await ChildProcess.run(
                Project.path("scripts/build-c-library"),
                ["--check-symbols", library]
            )
            #expect(check.exitCode == status, "\(check.errorOutput)")
            #expect(check.errorOutput.contains(missing) || missing.isEmpty)
        }
    }

    @Test func `the programs in C and Python call every function of the header`() throws {
        let program = try Self.sources().map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let binding = try Self.text("Tests/CProgram/binding.py")
        for function in try Self.functions() {
            #expect(program.contains("\(function)("), "\(function)")
            #expect(binding.contains("\"\(function)\":"), "\(function)")
        }
    }

    @Test(arguments: [
        ("clang", ["-std=c99"], "c"),
        ("clang", ["-std=c17", "-Weverything", "-Wno-padded", "-Wno-unsafe-buffer-usage"], "c"),
        ("gcc", ["-std=c99"], "c"), ("clang++", ["-std=c++11"], "cpp"), ("g++", ["-std=c++20"], "cpp"),
    ])
    func `the header has no warning in C and C++`(compiler: String, options: [String], suffix: String) async throws {
        try await withTemporaryDirectory { directory in
            let text = """
                #include <offline_bundles.h>
                #include <offline_bundles.h>
                typedef void (*send_function)(void *, ob_exchange *);
                extern int use(const ob_options *, const ob_request *, const ob_network *, const ob_transport *);
                extern int test(send_function function);
                int test(send_function function) {
                    const ob_options options = OB_OPTIONS_INIT;
                    const ob_request request = OB_REQUEST_INIT("https://m.example.com/");
                    const ob_network network = OB_NETWORK_INIT;
                    const ob_transport transport = OB_TRANSPORT_INIT(function);
                    return use(&options, &request, &network, &transport);
                }

                """
            let file = try directory.write(Array(text.utf8), to: "test.\(suffix)")
            let result = try await ChildProcess.run(
                compiler,
                options + [
                    "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                    "-I", Project.path("Sources/CBundle/include"), file,
                ]
            )
            #expect(result.exitCode == 0, "\(result.errorOutput)")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a program in C drives every function, from several threads`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await Self.publish(publisher, with: bundlectl)
            let program = try await Self.program(in: publisher.directory)
            let result = try await Self.run([program], publisher)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let end = "waiting: 15, 9\nreopening: 35 clients\ndone, with network\n"
            #expect(result.output.hasSuffix(end), "\(result.output)")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a program in C finds no error and no leak under AddressSanitizer`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await Self.publish(publisher, with: bundlectl)
            let program = try await Self.program(in: publisher.directory, ["-fsanitize=address"])
            let result = try await Self.run(
                [program],
                publisher,
                environment: [
                    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1",
                    "LSAN_OPTIONS":
                        "print_suppressions=0:suppressions=\(Project.path("Tests/CProgram/leaks.supp"))",
                ]
            )
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.errorOutput == "")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a program in Python drives every function through ctypes`() async throws {
        try await withPublisher { publisher, bundlectl in
            try await Self.publish(publisher, with: bundlectl)
            let program = Project.path("Tests/CProgram/program.py")
            let result = try await Self.run(["python3", "-B", program, Self.library], publisher)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.output == "done: \(try Self.functions().count) functions\n")
        }
    }
}
