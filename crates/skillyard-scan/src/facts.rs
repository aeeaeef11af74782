//! What a skill does, in single facts: it reads secrets, sends, fetches, runs, decodes.
//!
//! A fact alone is not a finding. Rules put facts together, because it is the combination that
//! tells an attack from a tool: most scripts send something, few send a private key.

use std::ops::Range;

use crate::hosts::HostTrust;
use crate::pattern::Pattern;

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
    /// Names a place where secrets are kept, in words too loose to count alone.
    SecretPlace,
    /// Lets the user type something that is not shown.
    Typed,
    /// Uses the network in any way.
    Reaches,
}

/// A fact that was seen.
#[derive(Debug, Clone)]
pub(crate) struct FactMatch {
    pub(crate) fact: Fact,
    pub(crate) file: usize,
    pub(crate) unit: usize,
    /// Where, in the plain text of the file.
    pub(crate) range: Range<usize>,
}

/// Something that reached a place where it matters.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) kind: FlowKind,
    /// The statement that it came from: file and unit.
    pub(crate) from: (usize, usize),
    /// The statement that it reached.
    pub(crate) to: (usize, usize),
    /// The least trusted host that had a part in it.
    pub(crate) standing: Option<HostTrust>,
}

/// What reached what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlowKind {
    /// A secret reached the network.
    SecretSent,
    /// One key from the environment reached the network.
    KeySent,
    /// What was fetched runs.
    FetchedRuns,
    /// What was decoded runs.
    DecodedRuns,
}

/// A pattern that shows a fact, and the words without which it cannot match.
pub(crate) struct Signal {
    pub(crate) fact: Fact,
    pub(crate) words: &'static [&'static str],
    pub(crate) pattern: Pattern,
}

/// Every signal.
#[rustfmt::skip]
pub(crate) static SIGNALS: [Signal; 15] = [
    Signal {
        fact: Fact::SecretFile,
        words: &[".ssh", ".aws", ".netrc", ".npmrc", ".pypirc", ".docker/config", ".kube", ".gnupg", "gcloud", "gh/hosts", "login data", "cookies", "keychain", "find-generic-password", "find-internet-password", "wallet", "keystore", ".solana", "electrum", "exodus", ".env", "memory.md", "soul.md", "agent-identity", ".openclaw", ".credentials", "/etc/shadow", "/environ", "logins.json", "key4.db", "local state", "metamask", "private_key", "private.key", "id_rsa", "id_ed25519", "id_ecdsa", "solana/id", "nkbihfbeogaeaoehlefnkodbefgpgknn", "user.md", "identity.md", ".git-credentials", ".azure"],
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
        words: &["environ", "getenv", "process.env", "env::var", "$", "auth token", "print-access-token", "print-identity-token", "get-access-token", "get-session-token", "gcloud auth print"],
        pattern: Pattern::new(
            r#"(?:os\.(?:environ(?:\.get)?|getenv)\s*[\[(]\s*['"]|process\.env(?:\.|\[['"])|env::var\("|\$\{?|\$\(|\$env:|getenv\(['"])
            \w*(?:token|secret|passw(?:or)?d|api_?key|access_key|private_key|account_key|auth_key|credentials?|database_url|mnemonic|session_key)\w*|
            \bgh\s+auth\s+token\b|\bgcloud\s+auth\s+print-\w+-token|\baws\s+sts\s+get-session-token|\baz\s+account\s+get-access-token"#,
        ),
    },
    Signal {
        fact: Fact::WholeEnvironment,
        words: &["environ", "process.env", "printenv", "set |", "set|", "env"],
        pattern: Pattern::new(
            r#"(?:dict|json\.dumps|str|list)\s*\(\s*(?:dict\s*\(\s*)?os\.environ\s*[,)]|os\.environ\.(?:copy|items)\s*\(|\bfor\s+\w+(?:\s*,\s*\w+)?\s+in\s+os\.environ\b|
            =\s*os\.environ\s*$|['":]\s*os\.environ\s*[,})]|json\.stringify\s*\(\s*process\.env\b\s*[,)]|\.\.\.process\.env\b|
            object\.(?:entries|keys|values|assign)\s*\([^)]{0,20}process\.env\s*\)|[:=]\s*process\.env\s*[,;})]|
            (?:^|[\s;|&($`'"])(?:printenv|env)\s*(?:\||>|\)|$|;)|\$\((?:env|printenv)\b|get-childitem\s+env:|\bset\s*\|\s*curl"#,
        ),
    },
    Signal {
        fact: Fact::Sends,
        words: &["post", "put(", "curl", "wget", "urlopen", "fetch(", "axios", "sendbeacon", "smtp", "sendmail", "sendmessage", "netcat", ".put", "websocket", ".send", "socket", "invoke-restmethod", "invoke-webrequest", "scp ", "rsync", "nc ", "ncat", "webhook", "upload_file", "s3 cp", "gist create", "urllib", "http.request", "https.request", "xmlhttprequest", "ftp", "method:", "stream_context_create", "method", ".patch", "request(", "request (", "fetch ("],
        pattern: Pattern::new(
            r#"\b(?:requests|httpx|session|client|aiohttp|axios|http|got|superagent|s)\.(?:post|put|patch)\s*\(|
            urlopen\s*\([^)]*data|request\s*\([^)]*\bdata\s*=|urllib\.request\.urlopen\s*\(\s*req|
            fetch\s*\([^;]*method\s*:\s*['"](?:post|put)|https?\.request\s*\(|sendbeacon\s*\(|
            \bcurl\b[^|;]*\s(?:-x\s?(?:post|put)|--request\s(?:post|put)|--data(?:-\w+)?|-d\s*['"@$]|-f\s+['"]?\w+=|--form|-t\s+[\w./$"]|--upload-file)|
            \bwget\b[^|;]*--post|invoke-(?:webrequest|restmethod)\b[^|;]*-(?:method\s+['"]?(?:post|put)|body)|
            smtplib|\bsendmail\b|sendmessage\s*\(|websocket[^;]{0,40}\.send\s*\(|\bsock(?:et)?\w*\.send(?:all|to)?\s*\(|\bs\.send(?:all)?\s*\(|
            \|\s*(?:nc|ncat|netcat)\s+(?:-\w+\s+(?:\d+\s+)?)*[\w.$"\{\}-]+\s+[\d$]|https?://[^;]*\bmethod\s*:\s*['"](?:post|put)|['"]method['"]\s*=>\s*['"](?:post|put)|\bscp\s+[^-]\S*\s+\S+@|\brsync\b.*\S+@\S+:|
            \.upload_file(?:obj)?\s*\(|\baws\s+s3\s+(?:cp|sync)\s+[~./$"]|\bgh\s+gist\s+create|\bcurl\b[^|;]*["'?&]\w*=\$\(|
            xmlhttprequest|\bftp\.storbinary|\$\([^)]*\)[^|;]*\|\s*curl|\|\s*curl\b"#,
        ),
    },
    Signal {
        fact: Fact::Fetches,
        words: &["curl", "wget", "requests.get", "httpx.get", "urlopen", "urlretrieve", "fetch(", "fetch (", "got.get", "axios", "downloadstring", "downloadfile", "invoke-webrequest", "iwr ", " irm", "irm ", "invoke-restmethod", "https.get", "http.get", "aiohttp", "certutil", "bitsadmin", "uri.open", "net::http", "file_get_contents", "get('http", "get(\"http", "lwp", "iwr", "irm", "get(", "get ("],
        pattern: Pattern::new(
            r"\b(?:curl|wget)\b[^|;]*https?:|\b(?:requests|httpx|axios|https?|got)\.get\s*\(|urlopen\s*\(|urlretrieve\s*\(|\bfetch\s*\(|
            downloadstring\s*\(|downloadfile\s*\(|invoke-webrequest|\biwr\b|\birm\b|invoke-restmethod|
            certutil\b[^;]*-urlcache|bitsadmin\b[^;]*/transfer|\b(?:curl|wget)\b[^|;]*\$\{?\w*url|\buri\.open\b|net::http\.get|file_get_contents\s*\(\s*['\x22]https?:|\bget\s*\(\s*['\x22]https?:",
        ),
    },
    Signal {
        fact: Fact::Downloads,
        words: &["curl", "wget", "urlretrieve", "downloadfile", "-outfile", "certutil", "bitsadmin", "bitstransfer"],
        pattern: Pattern::new(
            r"\bcurl\b[^|;]*\s-(?:[a-z]*o)\s+[^/\s]|\bcurl\b[^|;]*\s-(?:[a-z]*o)\s+/[^d]|\bcurl\b[^|;]*--(?:output|remote-name)|\bcurl\b[^|;]*\s>\s*\S|\bwget\b[^|;]*https?:|\bwget\b[^|;]*\$|
            urlretrieve\s*\(|downloadfile\s*\(|-outfile\b|certutil\b[^;]*-urlcache|bitsadmin\b[^;]*/transfer|start-bitstransfer\b",
        ),
    },
    Signal {
        fact: Fact::Starts,
        words: &["os.system", "subprocess", "popen", "child_process", "exec", "spawn", "start-process", "os.exec", "pty.spawn", "shell_exec", "shell=true", "system(", "system (", "subprocess_", "system \"", "system '", "shell =", "shell="],
        pattern: Pattern::new(
            r#"\bos\.(?:system|popen|exec[lv]p?e?|spawn\w*)\s*\(|\bsubprocess\.\w+\s*\(|\bpopen\s*\(|child_process|
            \bexec(?:file)?(?:sync)?\s*\(|\bspawn(?:sync)?\s*\(|start-process\b|pty\.spawn|shell_exec\s*\(|\bsystem\s*\(|create_subprocess_\w+|\b(?:exec|system)\s+["'][/a-z]|
            (?:check_output|check_call|\brun)\s*\(.*shell\s*=\s*true"#,
        ),
    },
    Signal {
        fact: Fact::Evaluates,
        words: &["eval", "exec", "new function", "scriptblock", "runin", "invoke-expression", "iex", "marshal", "pickle", "__import__", "importlib", "__builtins__", "_eval"],
        pattern: Pattern::new(
            r#"(?:^|[^.\w$])(?:eval|exec)\s*\(\s*[^)\s]|\bnew\s+function\s*\(|vm\.runin\w*\s*\(|invoke-expression|(?:^|[\s;|(])iex\b|
            \bmarshal\.loads\s*\(|\beval\s+["'$`]|\b(?:instance|class|module)_eval\b|\(\s*0\s*,\s*eval\s*\)|window\.eval|\[scriptblock\]::create|builtins\.(?:exec|eval)|getattr\s*\(\s*__builtins__|globals\s*\(\)\s*\[['"](?:exec|eval)"#,
        ),
    },
    Signal {
        fact: Fact::Decodes,
        words: &["base64", "b64decode", "b32decode", "b16decode", "b85decode", "a85decode", "atob", "fromhex", "unhexlify", "xxd", "rot13", "decompress", "fromcharcode", "frombase64string", "codecs.decode", "marshal", "chr(", "openssl", "| rev", "|rev", "gzipstream", "[::-1]", "buffer.from", "chr (", "map(", "map ("],
        pattern: Pattern::new(
            r#"(?:b64|b32|b85|a85|b16|urlsafe_b64|standard_b64)decode\s*\(|\batob\s*\(|bytes\.fromhex\s*\(|unhexlify\s*\(|\bxxd\s+-r|codecs\.decode\s*\(|
            \bbase64\s+(?:-d\b|--decode|-di\b)|openssl\s+(?:enc\s+)?(?:-base64\s+-d|base64\s+-d|-d)|frombase64string\s*\(|
            buffer\.from\s*\([^)]*['"](?:base64|hex)|zlib\.decompress\s*\(|marshal\.loads\s*\(|fromcharcode\s*\(|
            join\s*\(\s*(?:map\s*\(\s*chr|\[?\s*chr\s*\()|\|\s*rev\b|gzipstream|\[::-1\]"#,
        ),
    },
    Signal {
        fact: Fact::RunsFile,
        words: &["chmod", "/tmp/", "/dev/shm", "start-process", "msiexec", "dpkg", "installer -pkg", " ./", "$tmp", "${tmp", "exec.command", "'./", "\"./"],
        pattern: Pattern::new(
            r#"\bchmod\s+(?:\+x|a\+x|u\+x|0?7[0-7]{2})\s|(?:^|[\s;&|('"])(?:ba|z)?sh\s+(?:-\w+\s+)?["']?(?:/tmp/|\./|\$\{?tmp)[\w./$-]+|
            (?:^|[\s;&|('"])(?:python3?|node|perl|ruby)\s+["']?/tmp/[\w./-]+|(?:^|[;&|]\s*|\bnohup\s+)(?:/tmp/|/var/tmp/|/dev/shm/)[\w./-]+(?:\s|$|&)|
            start-process\b|msiexec\b|\bdpkg\s+-i\b|installer\s+-pkg|(?:^|[;&|]\s*)source\s+["']?/tmp/|exec\.command\s*\(\s*['"](?:/tmp/|/var/tmp/|\./)"#,
        ),
    },
    Signal {
        fact: Fact::Identity,
        words: &["whoami", "$(id", "hostname", "getuser", "uname", "platform.node", "userinfo", "getlogin", "ipapi", "ifconfig.me", "ipinfo", "$( id"],
        pattern: Pattern::new(
            r"\$\(\s*(?:whoami|hostname|uname|id)\b|`(?:whoami|hostname)|getpass\.getuser|socket\.gethostname|platform\.node\s*\(|(?:\bos|\))\.(?:userinfo|hostname)\s*\(|os\.getlogin|ipapi\.co|ifconfig\.me|ipinfo\.io|\bwhoami\b",
        ),
    },
    Signal {
        fact: Fact::PersonalData,
        words: &["clipboard", "pyperclip", "xclip", "pbpaste", "screencapture", "imagegrab", "pynput", "keylog", "keyboard.", "bash_history", "zsh_history", "contacts", "chat.db", "getusermedia", "location", "screenshot", "mss", "addressbook", "session_token", "conversation", "chat_history"],
        pattern: Pattern::new(
            r"pyperclip\.paste|clipboard\.(?:read|paste|get)|\bpbpaste\b|xclip\s[^;]*-o|get-clipboard|screencapture\s+-|imagegrab\.grab|\bmss\.mss\s*\(|pyautogui\.screenshot|screenshot-desktop|
            pynput|keyboard\.(?:on_press|hook|record)|keylogger|\.(?:bash|zsh)_history|messages/chat\.db|addressbook|corelocation|
            conversation_history|chat_history",
        ),
    },
    Signal {
        fact: Fact::SecretPlace,
        words: &[".ssh", ".aws", ".gnupg", ".kube", ".azure", ".mozilla", "/etc/shadow", "encrypted_value", ".docker", ".npmrc", ".netrc", ".pypirc", ".git-credentials", "gcloud", "config/gh", "solana", "_history", "export-secret", "keyring", "secret-tool", "document.cookie", "kubectl", "secretsmanager", "gcloud secrets", "-name ", "--include", "grep ", "localstorage", "sessionstorage", "/etc/passwd", "login data", "cookies", "local state", "extension settings", "keystore", ".electrum", ".exodus", ".ethereum", ".env", "security ", "password-store", "credentials", "serviceaccount", "seed", "mnemonic", "recovery", "cmdkey", "vaultcmd", "_token", "_secret", "_key", ".config", "slack_", "database_url", "-name", "rg "],
        pattern: Pattern::new(
            r#"(?:~|\$\{?home\}?|\$env:userprofile|%userprofile%|home\(\)|homedir\(\)|expanduser|env\{home\}|['"\[.]home['"\])}]|/(?:users|home)/[\w$]+)[^;|&]{0,60}\.(?:ssh|aws|gnupg|kube|azure|docker|npmrc|netrc|pypirc|git-credentials|password-store|mozilla|electrum|\w*_history|config['",/\\\s)]+(?:gcloud|gh|solana|op)\b)|
            \.ssh['",\s/\\)]+(?:id_|identity)|\.aws['",\s/\\)]+(?:credentials|config)|\.kube['",\s/\\)]+config|gcloud['",\s/\\)]+application_default|
            ['"]\.(?:ssh|aws|gnupg|kube|azure|npmrc|netrc|pypirc|git-credentials|docker)['"]|
            \bgpg\b[^|;]*--export-secret|keyring\.get_\w*password|secret-tool\s+(?:lookup|search)|\bsecurity\s+(?:find-\w+|dump-keychain|export)|
            document\.cookie|\bkubectl\s+get\s+secrets?\b|\baws\s+secretsmanager\s+get|\bgcloud\s+secrets\s+versions\s+access|json\.stringify\s*\(\s*(?:local|session)storage|/etc/(?:passwd|shadow)|
            (?:user\s?data|chrome|brave|edge|firefox|chromium)[^;]{0,60}(?:login\ data|cookies|local\ state|extension\ settings)|from\s+cookies\b|encrypted_value|
            \.(?:ethereum|electrum|exodus)\b|keystore['"/\\]|-name\s+['"]?\.env|(?:-name|--include)[\s=]+['"]?\*?\.?(?:pem|key|kdbx|p12|pfx|ppk|ovpn|wallet)\b|\b(?:grep|rg)\b[^|;]*(?:akia\[|ghp_\[|ghp_\w*\[|sk-\[|xox[abp]|begin\s+\w*\s*private)|glob\s*\(\s*['"](?:\*\*/)?\.env|serviceaccount/token|\b(?:seed|mnemonic|wallet-seed|recovery)[\w-]*\.txt\b|~/\.credentials|\bcmdkey\s+/list|vaultcmd|(?:['"](?:aws_secret_access_key|aws_access_key_id|github_token|gh_token|npm_token|openai_api_key|anthropic_api_key|slack_\w*token|database_url|pypi_token)['"]\s*,?\s*){2,}"#,
        ),
    },
    Signal {
        fact: Fact::Typed,
        words: &["read -", "getpass", "askstring", "promptforcredential", "hidden answer", "get-credential", "assecurestring", "seed phrase", "recovery phrase", "mnemonic", "input(", "input (", "prompt(", "prompt (", "question(", "question ("],
        pattern: Pattern::new(
            r#"\bread\s+(?:-\w+\s+(?:['"][^'"]*['"]\s+)?)*-\w*s|getpass\.getpass|askstring\s*\([^)]*show\s*=|promptforcredential|with\s+hidden\s+answer|-assecurestring|
            (?:input|prompt|question|askstring)\s*\(\s*f?['"\x60][^'"\x60]*(?:seed\s+phrase|recovery\s+phrase|mnemonic|private\s+key|password)"#,
        ),
    },
    Signal {
        fact: Fact::Reaches,
        words: &["curl", "wget", "nc ", "ncat", "netcat", "scp ", "rsync", "sftp", "ftp", "requests.", "httpx", "aiohttp", "urllib", "urlopen", "http.client", "httpsconnection", "fetch(", "fetch (", "deno.", "->post", "axios", "http.request", "http.get", "https.request", "https.get", "\").get(", "').get(", "\").request(", "').request(", "open_connection", "xmlhttprequest", "sendbeacon", "websocket", "net.connect", "net.dial", "net.socket", "net.createconnection", "socket", "smtp", "invoke-webrequest", "invoke-restmethod", "iwr ", "irm ", "webclient", "net::http", "lwp", "fsockopen", "curl_exec", "dig ", "nslookup", "gethostbyname", "s3 cp", "s3 sync", "gsutil", "gist create", "rclone", "s_client", "git clone", "aria2c", "axel ", "httpie", "ping -", "ping ", "xh ", "host \"$", "host $", "node-fetch", "undici", "http.post", "http.newrequest", "file_get_contents", "stream_context_create", "uri.open", "client.", "session.", "httpconnection", "require(", "require (", "host -", "host '"],
        pattern: Pattern::new(
            r#"\b(?:curl|wget)\s+[^|;]*\S|\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*[\w.$"{}-]+\s+[\d$]|\bscp\s|\brsync\b[^;|]*\S:|\bsftp\s|\bftp(?:lib)?\b|\b(?:requests|httpx|session|client)\.(?:get|post|put|patch|request|send)\s*\(|aiohttp|
            urllib\.request|urlopen\s*\(|http\.client|https?connection\s*\(|\bfetch\s*\(|\baxios\b|\bhttps?\.(?:request|get)\s*\(|require\s*\(['"]https?['"]\)\.(?:get|request)|xmlhttprequest|sendbeacon|websocket|
            \bnet\.(?:connect|dial|socket|createconnection)|\bsocket\.(?:socket|create_connection)|tcpsocket|asyncio\.open_connection|sockets\.tcpclient|smtplib|\bsmtp\(|invoke-(?:webrequest|restmethod)|\biwr\s|\birm\s|webclient|net::http|lwp::|->post\s*\(|fsockopen|curl_exec|
            \b(?:dig|nslookup)\s|gethostbyname|\baws\s+s3\s+(?:cp|sync)|\bgsutil\s+cp|\bgist\s+create|\brclone\s+copy|openssl\s+s_client|\bgit\s+clone\s+\S|\b(?:aria2c|axel)\s+[^;|]*\S|\bping\s+[^;|]*-p\s*\$|\bdeno\.\w*fetch|\bhost\s+(?:-\w+\s+)*["']?\$|node-fetch|\bundici\b|\bhttp\.(?:post\w*|newrequest)\s*\(|file_get_contents\s*\(\s*['"]https?:|stream_context_create|\buri\.open\b"#,
        ),
    },
];
