//! References that are refused, and secrets that are not shown.

use super::{check, parse, refused};

#[test]
fn secrets_are_kept_but_never_shown() {
    for text in [
        "https://user:s3cret@host/x.zip",
        "https://s3cret@host/repo.git",
        "https://s3cret@github.com/o/r.git",
        "https://host/x.zip?token=s3cret",
        "https://s3cret@site/",
        "git+https://oauth2:s3cret@gitlab.com/a/b.git@main#x",
        "ssh://git:s3cret@host/x.git",
    ] {
        let reference = parse(text).unwrap();
        let shown = format!(
            "{reference} {reference:?} {}",
            serde_json::to_string(&reference).unwrap()
        );
        assert!(!shown.contains("s3cret"), "{shown}");
        assert_eq!(parse(&reference.to_string()), Ok(reference));
    }
    for text in [
        "https://user:s3cret@/x",
        "https://user:s3cret@h o/x",
        "foo://user:s3cret@host/x",
    ] {
        let error = format!("{:?} {0}", parse(text).unwrap_err());
        assert!(!error.contains("s3cret"), "{error}");
    }
}

#[test]
fn what_could_be_two_things_is_refused_with_both() {
    refused("skills/pdf", "write `./skills/pdf` or `github:skills/pdf`");
    refused(
        "skills/pdf@main",
        "write `./skills/pdf` or `github:skills/pdf`",
    );
    // A name is one in the registry, as everywhere; `./pdf` is the folder.
    check("pdf", "registry", "pdf");
}

#[test]
fn near_misses_are_named() {
    refused("githb:o/r", "did you mean `github:`?");
    refused("https:/host/x.zip", "`https:` is followed by two slashes");
    refused("acne:pdf", "did you mean `acme:`?");
    refused("htps://x", "did you mean `https:`?");
    refused(
        "host.example:x/repo.git",
        "is written `git@host.example:x/repo.git`",
    );
    refused("npm:x", "`npm:` is no known kind of source");
    refused(
        "acme:o/r",
        "`acme` is a registry, so the reference is written `acme:name` or `@namespace/name`",
    );
    refused(
        "corp:pdf",
        "`corp` is a forge, so the reference is written `corp:owner/repository`",
    );
    refused(
        "github:owner",
        "names no repository; one is written `owner/repository`",
    );
    refused("https://github.com/o/r/issues/1", "is not a page of files");
    refused(
        "https://host/x/SKILL.md",
        "one file is not fetched by itself",
    );
    refused("PDF", "not a valid skill name: it has capital letters");
    refused("pdf@1.2.3.4", "no version requirement");
}

#[test]
fn hostile_references_are_refused() {
    refused("", "a reference is needed");
    refused(&"a".repeat(3000), "3000 bytes");
    refused("ext::sh -c id", "starts programs");
    refused("fd::17", "starts programs");
    refused("ext::https://x", "starts programs");
    refused("git+ext::sh", "starts programs");
    refused("owner/re\npo", "invisible character U+000A");
    refused("owner/repo\u{202e}", "invisible character U+202E");
    refused("owner/repo\u{200b}x", "invisible character U+200B");
    refused("own\0er/repo", "invisible character U+0000");
    refused("-owner/repo", "cannot be the name of an owner");
    refused("owner/-repo", "cannot be the name of an owner");
    refused("owner/repo/-x", "starts with a hyphen");
    refused("owner/repo@--upload-pack=x", "starts with a hyphen");
    refused("owner/repo@-x", "starts with a hyphen");
    refused("owner/repo/../../x", "contains `..`");
    refused("owner/repo/%2e%2e/x", "contains `..`");
    refused("owner/../repo", "cannot be the name of an owner");
    refused("owner/repo/.git/hooks", "leads into `.git`");
    refused("owner/repo/a//b", "names no repository");
    refused("оwner/repo", "U+043E");
    refused("pаypal", "U+0430");
    refused("рау", "U+0440");
    refused("acme:рау", "U+0440");
    refused("https://gіthub.com/o/r", "U+0456");
    refused("own er/repo", "contains a space");
    refused("https://h/a b.zip", "contains a space");
    refused("git+https://host/r.git#../x", "contains `..`");
    refused("git+https://host/r.git#-x", "starts with a hyphen");
    refused("git+https://host/r.git@-x", "starts with a hyphen");
    refused("file:///r.git#a/../../b", "contains `..`");
    refused("file:///a%0ab.zip", "invisible character U+000A");
    refused("git@-oProxyCommand=x:y.git", "letters, digits");
    refused("-oProxyCommand=x@h:y.git", "letters, digits");
    refused("git@host:--upload-pack=x", "letters, digits");
    refused("ssh://-oProxyCommand=x/y", "host has characters");
    refused("https://github.com/o/r/tree/-x/y", "starts with a hyphen");
    refused(
        "https://github.com/o/r/tree/main/%2e%2e%2fx",
        "contains `..`",
    );
    refused("https://host/x.zip#../y", "nothing may follow `#`");
    refused("-rf.zip", "starts with a hyphen");
    refused("@owner/Name", "not a valid skill name");
    refused("@owner", "is written `@namespace/name`");
    refused("@Owner/name", "is no namespace");
    refused("@owner/../name", "not a valid skill name");
    refused("@оwner/name", "is no namespace");
    refused("https://site/#../x", "not a valid skill name");
}
