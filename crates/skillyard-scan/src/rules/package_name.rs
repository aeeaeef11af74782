//! Packages one letter away from another.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::look_alikes::is_typo;
use crate::pattern::Pattern;

rule! {
    /// A package is installed whose name is a well-known one with a letter wrong.
    ///
    /// Such packages are put into registries for those who mistype, and for agents that copy.
    ///
    /// **Fix:** install the package that was meant.
    "scan-package-name", High,
    "install the package that was meant",
    keywords: &["pip install", "pip3 install", "npm i", "yarn add", "pnpm ", "cargo ", "gem install", "bun add", "bun i", "uv add", "uv -", "pip -", "pip3 -", "pipx -", "npm -", "yarn -", "gem -", "bun -"],
    check
}

static INSTALL: Pattern = Pattern::new(
    r"\b(?:pip3?|uv|uv\s+pip|pipx|npm|yarn|pnpm|cargo|gem|bun)\s+(?:-[^\s;|&]*\s+(?:[^\s;|&-][^\s;|&]*\s+)?)*(?:install|i|add)\s+[^;|&\x22'\x60)]+",
);
/// Words that begin the list of packages.
const VERBS: [&str; 3] = ["install", "i", "add"];
/// Options whose value is a folder or a file, which is not a package.
#[rustfmt::skip]
const COMMANDS: [&str; 13] = [
    "--target", "-t", "--prefix", "-c", "--cwd", "--dir", "--manifest-path", "--path", "--project",
    "--directory", "--root", "-r", "--requirement",
];
/// Packages that many know by name.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "anthropic", "asyncio", "axios", "beautifulsoup4", "boto3", "certifi", "chalk",
    "charset-normalizer", "colorama", "commander", "cross-env", "cryptography", "discord.py",
    "django", "dotenv", "electron", "eslint", "ethers", "express", "fastapi", "flask", "gunicorn",
    "httpx", "idna", "jsonschema", "langchain", "lodash", "matplotlib", "mongoose", "numpy",
    "openai", "opencv-python", "pandas", "paramiko", "pillow", "playwright", "prettier", "psycopg2",
    "puppeteer", "pydantic", "pytest", "python-dateutil", "python-dotenv", "pyyaml", "react",
    "requests", "scikit-learn", "scipy", "selenium", "setuptools", "solana", "sqlalchemy",
    "tensorflow", "torch", "transformers", "typescript", "urllib3", "virtualenv", "webpack",
    "websockets", "yt-dlp",
];

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() && !ctx.is_prose() {
        return;
    }
    for found in INSTALL.find_all(ctx.text) {
        let words = found.split_whitespace();
        let mut words = words.skip_while(|word| !VERBS.contains(word)).skip(1);
        while let Some(word) = words.next() {
            if COMMANDS.contains(&word) {
                words.next();
                continue;
            }
            let name = word
                .split(['=', '<', '>', '@', '[', '~'])
                .next()
                .unwrap_or(word);
            let meant = KNOWN.iter().find(|known| is_typo(name, known));
            if let Some(meant) = meant.filter(|_| !KNOWN.contains(&name)) {
                let start = ctx.text.find(word).unwrap_or_default();
                let message = format!("the package `{name}` is easily taken for `{meant}`");
                findings.add(
                    &RULE,
                    ctx,
                    start..start + name.len(),
                    Severity::High,
                    message,
                );
                return;
            }
        }
    }
}
