import BundleStore
import Testing

@testable import BundleUpdate

@Suite("The settings of an object store")
struct S3ConfigurationTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    private static let keys = ["AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": secret]

    private static let credentialsFile = """
        # Two profiles.
        [default]
        aws_access_key_id = DEFAULT
        aws_secret_access_key = default-secret

        [site]\r
        aws_access_key_id=SITE\r
        aws_secret_access_key=site=secret\r
        aws_session_token = token
        """

    private static let configFile = """
        [default]
        region = eu-west-1
        [profile site]
        region = eu-central-1
        ; A server of the site's own.
        endpoint_url = https://s3.site.example:9000
        s3 =
            addressing_style = virtual
            max_concurrent_requests = 20
        [profile "two words"]
        region = us-west-2
        [services site]
        region = nowhere
        [profile sso]
        sso_session = corporate
        [profile plain]
        endpoint_url = http://s3.site.example
        [profile loopback]
        endpoint_url = http://127.0.0.1:8333
        [profile half]
        aws_access_key_id = HALF
        """

    private func configuration(_ environment: [String: String]) throws -> S3Configuration {
        try S3Configuration(
            environment: environment,
            credentialsFile: Self.credentialsFile,
            configFile: Self.configFile
        )
    }

    @Test(
        "come from the environment, and then from the files",
        arguments: [
            ([:], "DEFAULT", "eu-west-1", "https://s3.eu-west-1.amazonaws.com"),
            (["AWS_REGION": "", "AWS_PROFILE": ""], "DEFAULT", "eu-west-1", "https://s3.eu-west-1.amazonaws.com"),
            (keys, "AKIAIOSFODNN7EXAMPLE", "eu-west-1", "https://s3.eu-west-1.amazonaws.com"),
            (["AWS_PROFILE": "site"], "SITE", "eu-central-1", "https://s3.site.example:9000"),
            (["AWS_PROFILE": "two words"], nil, "us-west-2", "https://s3.us-west-2.amazonaws.com"),
            (["AWS_DEFAULT_REGION": "us-west-1"], "DEFAULT", "us-west-1", "https://s3.us-west-1.amazonaws.com"),
            (
                ["AWS_DEFAULT_REGION": "us-west-1", "AWS_REGION": "cn-north-1"], "DEFAULT", "cn-north-1",
                "https://s3.cn-north-1.amazonaws.com.cn"
            ),
            (["AWS_ENDPOINT_URL": "http://minio.example:80/"], "DEFAULT", "eu-west-1", "http://minio.example"),
            (
                ["AWS_ENDPOINT_URL": "http://one.example", "AWS_ENDPOINT_URL_S3": "https://two.example:8443"],
                "DEFAULT", "eu-west-1",
                "https://two.example:8443"
            ),
            (["AWS_PROFILE": "loopback"], nil, "us-east-1", "http://127.0.0.1:8333"),
        ] as [([String: String], String?, String, String)]
    )
    func precedence(_ environment: [String: String], _ key: String?, _ region: String, _ server: String) throws {
        let configuration = try configuration(environment)
        #expect(configuration.credentials?.accessKey == key)
        #expect(configuration.region == region && configuration.server == server)
    }

    @Test func `are anonymous without a key`() throws {
        let configuration = try S3Configuration(environment: [:])
        #expect(configuration.credentials == nil && configuration.region == "us-east-1")
    }

    @Test func `keep a secret with an equals sign, and a session token`() throws {
        let credentials = try configuration(["AWS_PROFILE": "site"]).credentials
        #expect(credentials?.secretKey == "site=secret" && credentials?.sessionToken == "token")
    }

    @Test(
        "name the bucket in the host where the server has one for it, and in the path elsewhere",
        arguments: [
            ([:], "shop", "a b", "shop.s3.eu-west-1.amazonaws.com", "/a%20b"),
            ([:], "shop", nil, "shop.s3.eu-west-1.amazonaws.com", "/"),
            ([:], "my.shop", "a", "s3.eu-west-1.amazonaws.com", "/my.shop/a"),
            (["AWS_ENDPOINT_URL": "https://s3.example"], "shop", "a", "s3.example", "/shop/a"),
            (["AWS_ENDPOINT_URL": "https://s3.example"], "shop", nil, "s3.example", "/shop"),
            (
                ["AWS_ENDPOINT_URL": "https://s3.eu-west-3.amazonaws.com"], "shop", "a",
                "shop.s3.eu-west-3.amazonaws.com", "/a"
            ),
            (["AWS_PROFILE": "site"], "shop", "a", "shop.s3.site.example:9000", "/a"),
        ] as [([String: String], String, String?, String, String)]
    )
    func styles(_ environment: [String: String], _ bucket: String, _ key: String?, _ authority: String, _ path: String)
        throws
    {
        let target = try configuration(environment).target(bucket: bucket, key: key)
        #expect(target.authority == authority && target.path == path)
    }

    @Test(
        "are refused without a word of the secret",
        arguments: [
            (["AWS_ACCESS_KEY_ID": "A"], "without its secret"),
            (["AWS_SECRET_ACCESS_KEY": secret], "alone"),
            (["AWS_ACCESS_KEY_ID": "A,B", "AWS_SECRET_ACCESS_KEY": secret], "characters"),
            (["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "\(secret)\n"], "characters"),
            (keys.merging(["AWS_SESSION_TOKEN": "\(secret)\r\nx: y"]) { $1 }, "characters"),
            (["AWS_PROFILE": "absent"], "AWS_PROFILE"),
            (["AWS_PROFILE": "sso"], "sso_session"),
            (["AWS_PROFILE": "half"], "without its secret"),
            (["AWS_PROFILE": "plain"], "isn't encrypted"),
            (["AWS_REGION": "eu/west"], "region"),
            (["AWS_ENDPOINT_URL": "s3.example"], "endpoint"),
            (["AWS_ENDPOINT_URL": "https://s3.example/base"], "endpoint"),
            (["AWS_ENDPOINT_URL": "https://user:\(secret)@s3.example"], "endpoint"),
        ]
    )
    func refused(_ environment: [String: String], _ problem: String) {
        let error = #expect(throws: BundleError.self) { try configuration(environment) }
        #expect(error?.code == .invalidArgument && error?.message.contains(problem) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(Self.secret) == false)
    }

    @Test func `have no description with a secret`() throws {
        let configuration = try S3Configuration(
            environment: Self.keys.merging(["AWS_SESSION_TOKEN": Self.secret]) { $1 }
        )
        var text =
            "\(configuration) \(String(reflecting: configuration)) \(String(describing: configuration.credentials))"
        dump(configuration, to: &text)
        #expect(!text.contains(Self.secret))
    }

    @Test func `are in files below the home, unless variables name others`() {
        let home = ["HOME": "/home/me"]
        #expect(S3Configuration.credentialsPath(environment: home) == "/home/me/.aws/credentials")
        #expect(S3Configuration.configPath(environment: home) == "/home/me/.aws/config")
        let named = ["HOME": "/home/me", "AWS_SHARED_CREDENTIALS_FILE": "/a", "AWS_CONFIG_FILE": "/b"]
        #expect(S3Configuration.credentialsPath(environment: named) == "/a")
        #expect(S3Configuration.configPath(environment: named) == "/b")
        #expect(S3Configuration.configPath(environment: [:]) == nil)
    }
}
