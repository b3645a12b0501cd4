import BundleTesting
import Foundation
import ServiceLifecycle
import Testing

@testable import ServerCore

@Suite("Renewing a certificate")
struct CertificateServiceTests {
    @Test("new connections get the new one; an invalid one changes nothing and is reported once")
    func renewal() async throws {
        try await withWatchedCertificate { scene async throws in
            try await scene.clock.step(by: CertificateService.interval)
            #expect(scene.log.lines == [])

            try scene.folder.write("half of a", to: "live/certificate.pem")
            for _ in 0..<3 { try await scene.clock.step(by: CertificateService.interval) }
            #expect(scene.log.lines.count == 1)
            let refusal = "error: the former certificate stays in use: the certificate "
            #expect(scene.log.lines.last?.hasPrefix(refusal) == true)
            #expect(scene.source.current.stamps == scene.stamps)

            try scene.use(scene.second)
            try await scene.clock.step(by: CertificateService.interval)
            #expect(scene.log.lines.last?.hasPrefix("notice: new connections get the certificate") == true)
            #expect(scene.source.current.stamps != scene.stamps)
        }
    }

    @Test("a symbolic link with a new target is a renewal, and one that is set back is reported")
    func link() async throws {
        try await withWatchedCertificate { scene async throws in
            try FileManager.default.removeItem(atPath: scene.files.certificate)
            try await scene.clock.step(by: CertificateService.interval)
            #expect(scene.log.lines.last?.contains("stays in use") == true)
            try scene.link(scene.first.certificate, scene.files.certificate)
            try await scene.clock.step(by: CertificateService.interval)
            #expect(scene.log.lines.last == "notice: the former certificate is back in its file")
            for (target, path) in [
                (scene.second.certificate, scene.files.certificate), (scene.second.key, scene.files.key),
            ] {
                try FileManager.default.removeItem(atPath: path)
                try scene.link(target, path)
            }
            try await scene.clock.step(by: CertificateService.interval)
            #expect(scene.log.lines.last?.hasPrefix("notice: new connections") == true)
        }
    }

    @Test(
        "a certificate that expires meanwhile is reported once, and so is an expired one that replaces it"
    )
    func expiry() async throws {
        try await withWatchedCertificate { scene async throws in
            scene.time.update { $0 += 3 * 86_400 }
            for _ in 0..<3 { try await scene.clock.step(by: CertificateService.interval) }
            #expect(scene.log.lines.count == 1)
            #expect(scene.log.lines.last?.hasPrefix("warning: the certificate in ") == true)
            #expect(scene.log.lines.last?.contains("has expired") == true)

            try scene.use(scene.second)
            for _ in 0..<3 { try await scene.clock.step(by: CertificateService.interval) }
            #expect(scene.log.lines.count == 3)
            #expect(scene.log.lines.last?.contains("has expired") == true)
        }
    }
}

/// A running watcher of two links.
private struct Scene {
    let folder: TemporaryDirectory
    let first: TestCertificate
    let second: TestCertificate
    let files: TLSFiles
    let source: TLSIdentitySource
    let stamps: [FileStamp?]
    let clock: TestClock
    let time: Monitor<Date>
    let log: RecordedLog

    func link(_ target: String, _ path: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    /// Replaces the links' targets with another pair.
    func use(_ pair: TestCertificate) throws {
        for (source, path) in [(pair.certificate, files.certificate), (pair.key, files.key)] {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: source, toPath: path)
        }
    }
}

private func withWatchedCertificate(_ body: (Scene) async throws -> Void) async throws {
    try await withCertificates { first, second, folder in
        try folder.write("", to: "live/empty")
        let files = TLSFiles(
            certificate: folder.path(of: "live/certificate.pem"),
            key: folder.path(of: "live/key.pem")
        )
        for (target, path) in [(first.certificate, files.certificate), (first.key, files.key)] {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        let identity = try TLSIdentity(files)
        let time = Monitor(Date())
        let (source, clock, log) = (TLSIdentitySource(identity), TestClock(), RecordedLog())
        let watcher = CertificateService(
            files: files,
            source: source,
            clock: clock,
            now: { time.state },
            logger: log.logger
        )
        let running = Task { await watcher.run() }
        try await body(
            Scene(
                folder: folder,
                first: first,
                second: second,
                files: files,
                source: source,
                stamps: identity.stamps,
                clock: clock,
                time: time,
                log: log
            )
        )
        running.cancel()
        await running.value
    }
}
