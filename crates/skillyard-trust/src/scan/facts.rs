//! What a skill does, in single facts: it reads secrets, sends, fetches, runs, decodes.
//!
//! A fact alone is no finding. Rules put facts together, because it is the combination that
//! tells an attack from a tool: most scripts send something, few send a private key.

use std::ops::Range;

use super::pattern::Pattern;

/// Something that code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Names a file that holds keys, passwords, cookies or wallets.
    SecretFile,
    /// Reads one secret from the environment.
    SecretVariable,
    /// Takes the whole environment.
    WholeEnvironment,
    /// Sends something over the network.
    Sends,
    /// Gets something over the network.
    Fetches,
    /// Writes what it gets to a file.
    Downloads,
    /// Starts a program.
    Starts,
    /// Runs text as code.
    Evaluates,
    /// Turns encoded text back.
    Decodes,
    /// Makes a file executable, or starts a file that was written.
    RunsFile,
    /// Asks who and where the user is.
    Identity,
    /// Takes everything of a kind: mails, contacts, histories, clipboards, screens.
    PersonalData,
}

/// A pattern that shows a fact, and the words without which it cannot match.
pub(crate) struct Signal {
    pub(crate) fact: Fact,
    pub(crate) words: &'static [&'static str],
    pub(crate) pattern: Pattern,
}

/// A fact that was seen.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) fact: Fact,
    pub(crate) file: usize,
    pub(crate) unit: usize,
    /// Where, in the plain text of the file.
    pub(crate) range: Range<usize>,
}

/// Every signal.
pub(crate) static SIGNALS: [Signal; 12] = [
    Signal {
        fact: Fact::SecretFile,
        words: &[
            ".ssh",
            ".aws",
            ".netrc",
            ".npmrc",
            ".pypirc",
            ".docker/config",
            ".kube",
            ".gnupg",
            "gcloud",
            "gh/hosts",
            "login data",
            "cookies",
            "keychain",
            "find-generic-password",
            "find-internet-password",
            "wallet",
            "keystore",
            ".solana",
            "electrum",
            "exodus",
            ".env",
            "memory.md",
            "soul.md",
            "agent-identity",
            ".openclaw",
            ".credentials",
            "/etc/shadow",
            "/environ",
            "logins.json",
            "key4.db",
            "local state",
            "metamask",
            "private_key",
            "private.key",
            "id_rsa",
            ".git-credentials",
            ".azure",
        ],
        pattern: Pattern::new(
            r#"\.ssh/(?:id_|\*|identity|config\b)|\bid_(?:rsa|ed25519|ecdsa)\b(?:[^.]|$)|\.aws/(?:credentials|config)|
            \.netrc\b|\.pypirc\b|(?:~|home[^,]{0,20}|\bcat\s|open\(['"])[/'"]*\.npmrc|\.docker/config\.json|\.kube/config|
            \.gnupg|\.config/gcloud|gcloud/(?:credentials|application_default)|gh/hosts\.yml|
            (?:chrome|brave|edge|firefox|chromium)[^;]{0,60}(?:login\ data|cookies|local\ state)|login\ data['"]|
            cookies\.sqlite|logins\.json|key4\.db|login\.keychain|find-(?:generic|internet)-password|dump-keychain|
            wallet\.dat|\.solana/id\.json|solana/id\.json|\.ethereum/keystore|\.electrum|exodus\.wallet|exodus/|
            nkbihfbeogaeaoehlefnkodbefgpgknn|
            (?:open|read_text|readfile(?:sync)?|cat|read|@|path)\s*\(?\s*['"]?(?:[\w./~$-]*/)?\.env(?:\.\w+)?['"\s)|]|
            (?:open|cat|read|readfile(?:sync)?|path)\s*\(?\s*['"]?[\w./~$-]*(?:memory|soul|user|identity)\.md\b|
            agent-identity|\.openclaw/(?:identity|credentials|openclaw\.json)|\.claude/\.credentials|
            \.git-credentials|\.azure/(?:accesstokens|msal)|/etc/shadow|/proc/(?:self|\d+|\*|1)/environ|
            \bprivate[_.]key\.(?:pem|json|txt)"#,
        ),
    },
    Signal {
        fact: Fact::SecretVariable,
        words: &["environ", "getenv", "process.env", "env::var", "$"],
        pattern: Pattern::new(
            r#"(?:os\.(?:environ(?:\.get)?|getenv)\s*[\[(]\s*['"]|process\.env(?:\.|\[['"])|env::var\("|\$\{?|\$\(|\$env:|getenv\(['"])
            \w*(?:token|secret|passw(?:or)?d|api_?key|access_key|private_key|account_key|auth_key|credentials?|database_url|mnemonic|session_key)\w*"#,
        ),
    },
    Signal {
        fact: Fact::WholeEnvironment,
        words: &["environ", "process.env", "printenv", "env"],
        pattern: Pattern::new(
            r#"(?:dict|json\.dumps|str|list)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\s*[,)]|os\.environ\.(?:copy|items)\s*\(|\bfor\s+\w+(?:\s*,\s*\w+)?\s+in\s+os\.environ\b|
            =\s*os\.environ\s*$|['":]\s*os\.environ\s*[,})]|json\.stringify\s*\(\s*process\.env\b\s*[,)]|\.\.\.process\.env\b|
            object\.(?:entries|keys|values|assign)\s*\([^)]{0,20}process\.env\s*\)|[:=]\s*process\.env\s*[,;})]|
            (?:^|[\s;|&($`'"])(?:printenv|env)\s*(?:\||>|\)|$|;)|\$\((?:env|printenv)\b|get-childitem\s+env:|\bset\s*\|\s*curl"#,
        ),
    },
    Signal {
        fact: Fact::Sends,
        words: &[
            "post",
            "put(",
            "curl",
            "wget",
            "urlopen",
            "fetch(",
            "axios",
            "sendbeacon",
            "smtp",
            "sendmail",
            "websocket",
            ".send",
            "socket",
            "invoke-restmethod",
            "invoke-webrequest",
            "scp ",
            "rsync",
            "nc ",
            "ncat",
            "webhook",
            "upload_file",
            "s3 cp",
            "gist create",
            "urllib",
            "http.request",
            "https.request",
            "xmlhttprequest",
            "ftp",
        ],
        pattern: Pattern::new(
            r#"\b(?:requests|httpx|session|client|aiohttp|axios|http|got|superagent|s)\.(?:post|put|patch)\s*\(|
            urlopen\s*\([^)]*data|request\s*\([^)]*\bdata\s*=|urllib\.request\.urlopen\s*\(\s*req|
            fetch\s*\([^;]{0,400}method\s*:\s*['"](?:post|put)|https?\.request\s*\(|sendbeacon\s*\(|
            \bcurl\b[^|;]*\s(?:-x\s?(?:post|put)|--request\s(?:post|put)|--data(?:-\w+)?|-d\s*['"@$]|-f\s+['"]?\w+=|--form|-t\s+[\w./$"]|--upload-file)|
            \bwget\b[^|;]*--post|invoke-(?:webrequest|restmethod)\b[^|;]*-(?:method\s+['"]?(?:post|put)|body)|
            smtplib|\bsendmail\b|sendmessage\s*\(|websocket[^;]{0,40}\.send\s*\(|\bsock(?:et)?\w*\.send(?:all|to)?\s*\(|\bs\.send(?:all)?\s*\(|
            \|\s*(?:nc|ncat|netcat)\s+\S+\s+\d+|\bscp\s+[^-]\S*\s+\S+@|\brsync\b.*\S+@\S+:|
            \.upload_file(?:obj)?\s*\(|\baws\s+s3\s+(?:cp|sync)\s+[~./$"]|\bgh\s+gist\s+create|\bcurl\b[^|;]*["'?&]\w*=\$\(|
            xmlhttprequest|\bftp\.storbinary|\$\([^)]*\)[^|;]*\|\s*curl|\|\s*curl\b"#,
        ),
    },
    Signal {
        fact: Fact::Fetches,
        words: &[
            "curl",
            "wget",
            "requests.get",
            "httpx.get",
            "urlopen",
            "urlretrieve",
            "fetch(",
            "axios",
            "downloadstring",
            "downloadfile",
            "invoke-webrequest",
            "iwr ",
            " irm",
            "irm ",
            "invoke-restmethod",
            "https.get",
            "http.get",
            "aiohttp",
            "certutil",
            "bitsadmin",
        ],
        pattern: Pattern::new(
            r"\b(?:curl|wget)\b[^|;]*https?:|\b(?:requests|httpx|axios|https?|got)\.get\s*\(|urlopen\s*\(|urlretrieve\s*\(|\bfetch\s*\(|
            downloadstring\s*\(|downloadfile\s*\(|invoke-webrequest|\biwr\b|\birm\b|invoke-restmethod|
            certutil\b[^;]*-urlcache|bitsadmin\b[^;]*/transfer|\b(?:curl|wget)\b[^|;]*\$\{?\w*url",
        ),
    },
    Signal {
        fact: Fact::Downloads,
        words: &[
            "curl",
            "wget",
            "urlretrieve",
            "downloadfile",
            "-outfile",
            "certutil",
            "bitsadmin",
        ],
        pattern: Pattern::new(
            r"\bcurl\b[^|;]*\s-(?:[a-z]*o)\s+[^/\s]|\bcurl\b[^|;]*\s-(?:[a-z]*o)\s+/[^d]|\bcurl\b[^|;]*--(?:output|remote-name)|\bcurl\b[^|;]*\s>\s*\S|\bwget\b[^|;]*https?:|\bwget\b[^|;]*\$|
            urlretrieve\s*\(|downloadfile\s*\(|-outfile\b|certutil\b[^;]*-urlcache|bitsadmin\b[^;]*/transfer",
        ),
    },
    Signal {
        fact: Fact::Starts,
        words: &[
            "os.system",
            "subprocess",
            "popen",
            "child_process",
            "exec",
            "spawn",
            "start-process",
            "os.exec",
            "pty.spawn",
            "shell_exec",
            "shell=true",
            "system(",
        ],
        pattern: Pattern::new(
            r"\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|\bsubprocess\.\w+\s*\(|\bpopen\s*\(|child_process|
            \bexec(?:file)?(?:sync)?\s*\(|\bspawn(?:sync)?\s*\(|start-process\b|pty\.spawn|shell_exec\s*\(|\bsystem\s*\(|
            (?:check_output|check_call|\brun)\s*\(.*shell\s*=\s*true",
        ),
    },
    Signal {
        fact: Fact::Evaluates,
        words: &[
            "eval",
            "exec",
            "new function",
            "runin",
            "invoke-expression",
            "iex",
            "marshal",
            "pickle",
            "__import__",
            "importlib",
        ],
        pattern: Pattern::new(
            r#"(?:^|[^.\w$])(?:eval|exec)\s*\(\s*[^)\s]|\bnew\s+function\s*\(|vm\.runin\w*\s*\(|invoke-expression|(?:^|[\s;|(])iex\b|
            \bmarshal\.loads\s*\(|\beval\s+["'$`]|builtins\.(?:exec|eval)|getattr\s*\(\s*__builtins__|globals\s*\(\)\s*\[['"](?:exec|eval)"#,
        ),
    },
    Signal {
        fact: Fact::Decodes,
        words: &[
            "base64",
            "b64decode",
            "b32decode",
            "b85decode",
            "a85decode",
            "atob",
            "fromhex",
            "unhexlify",
            "xxd",
            "rot13",
            "decompress",
            "fromcharcode",
            "frombase64string",
            "codecs.decode",
            "marshal",
            "chr(",
            "openssl",
        ],
        pattern: Pattern::new(
            r#"(?:b64|b32|b85|a85|b16|urlsafe_b64|standard_b64)decode\s*\(|\batob\s*\(|bytes\.fromhex\s*\(|unhexlify\s*\(|\bxxd\s+-r|codecs\.decode\s*\(|
            \bbase64\s+(?:-d\b|--decode|-di\b)|openssl\s+(?:enc\s+)?(?:-base64\s+-d|base64\s+-d|-d)|frombase64string\s*\(|
            buffer\.from\s*\([^)]*['"](?:base64|hex)|zlib\.decompress\s*\(|marshal\.loads\s*\(|fromcharcode\s*\(|
            join\s*\(\s*(?:map\s*\(\s*chr|\[?\s*chr\s*\()"#,
        ),
    },
    Signal {
        fact: Fact::RunsFile,
        words: &[
            "chmod",
            "/tmp/",
            "/dev/shm",
            "start-process",
            "msiexec",
            "dpkg",
            "installer -pkg",
            " ./",
            "$tmp",
            "${tmp",
        ],
        pattern: Pattern::new(
            r#"\bchmod\s+(?:\+x|a\+x|u\+x|0?7[0-7]{2})\s|(?:^|[\s;&|('"])(?:ba|z)?sh\s+(?:-\w+\s+)?["']?(?:/tmp/|\./|\$\{?tmp)[\w./$-]+|
            (?:^|[\s;&|('"])(?:python3?|node|perl|ruby)\s+["']?/tmp/[\w./-]+|(?:^|[;&|]\s*|\bnohup\s+)(?:/tmp/|/var/tmp/|/dev/shm/)[\w./-]+(?:\s|$|&)|
            start-process\b|msiexec\b|\bdpkg\s+-i\b|installer\s+-pkg|(?:^|[;&|]\s*)source\s+["']?/tmp/"#,
        ),
    },
    Signal {
        fact: Fact::Identity,
        words: &[
            "whoami",
            "hostname",
            "getuser",
            "uname",
            "platform.node",
            "userinfo",
            "getlogin",
            "ipapi",
            "ifconfig.me",
            "ipinfo",
        ],
        pattern: Pattern::new(
            r"\$\(\s*(?:whoami|hostname|uname|id)\b|`(?:whoami|hostname)|getpass\.getuser|socket\.gethostname|platform\.node\s*\(|(?:\bos|\))\.(?:userinfo|hostname)\s*\(|os\.getlogin|ipapi\.co|ifconfig\.me|ipinfo\.io|\bwhoami\b",
        ),
    },
    Signal {
        fact: Fact::PersonalData,
        words: &[
            "clipboard",
            "pbpaste",
            "screencapture",
            "imagegrab",
            "pynput",
            "keylog",
            "keyboard.",
            "bash_history",
            "zsh_history",
            "contacts",
            "chat.db",
            "getusermedia",
            "location",
            "screenshot",
            "addressbook",
            "session_token",
            "conversation",
        ],
        pattern: Pattern::new(
            r"pyperclip\.paste|clipboard\.(?:read|paste|get)|\bpbpaste\b|xclip\s[^;]*-o|get-clipboard|screencapture\s+-|imagegrab\.grab|
            pynput|keyboard\.(?:on_press|hook|record)|keylogger|\.(?:bash|zsh)_history|messages/chat\.db|addressbook|corelocation|
            conversation_history|chat_history",
        ),
    },
];
