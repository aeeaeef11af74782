//! Ways to come back.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::auto_loaded_files::{self, HOOKS, LEFTHOOK, OPENED, OPENED_ENDINGS};
use crate::facts::Fact;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;
use crate::skill::find_write_target;
use crate::{Severity, hosts};

rule! {
    /// Something is set up to run again later, outside the task.
    ///
    /// Shell profiles, timers, services, login items, git hooks, authorised keys and what editors
    /// and shells read when a folder is opened (`.vscode`, `.envrc`, `mise.toml`) outlive the
    /// session and the skill.
    ///
    /// **Fix:** let the user set it up, and tell them how to undo it.
    "scan-persistence", Critical,
    "let the user set it up, and tell them how to undo it",
    keywords: &[
        "bashrc", "zshrc", ".profile", "bash_profile", "zprofile", "crontab", "/etc/cron", "systemctl", "systemd", "launchagents", "launchdaemons",
        "launchctl", "git/hooks", "hookspath", "authorized_keys", ".ssh/config", "schtasks", "currentversion\\run", "currentversion\\\\run", "rc.local", "register-scheduledtask", "startup", "githooks", "asar", "resources/app", "zshenv", "usercustomize", "sitecustomize", ".pth", "bash_login", "/etc/profile",
        ".husky", "lefthook", ".pre-commit-config", "overcommit", ".envrc", ".vscode", ".zed", ".idea", ".devcontainer", ".dir-locals", "exrc", "vimrc", ".helix", ".lazy.lua", ".mise", "mise.", ".nvim", ".tool-versions", ".theia", ".vim", ".rprofile", ".code-workspace",
    ],
    check
}

static PROFILE: Pattern = Pattern::new(
    r#"(?:>>?|tee\s+(?:-a\s+)?|open\s*\([^)]*|write_text|appendfile\w*\s*\([^;]{0,80}|add-content[^;]*)\s*["']?[^\s;|]*(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|\.zshenv|/etc/profile)"#,
);
static TIMER: Pattern = Pattern::new(
    r"\|\s*crontab\b|\bcrontab\s+(?:-\s|\S*\.(?:txt|cron)|/|<)|(?:>>?|tee)\s*\S*/etc/cron|/etc/cron\.\w+/\w+|(?:>>?|tee|cp|mv)\s+\S*(?:/etc/systemd/system|\.config/systemd/user)/|
    launchagents/[\w.-]+\.plist|launchctl\s+(?:load|bootstrap)|schtasks\s+/create|register-scheduledtask|currentversion\\+run\b|/etc/rc\.local",
);
/// Places that only make a program start again, which no task needs.
static START: Pattern = Pattern::new(
    r#"start\ menu['",/\\\s]+programs['",/\\\s]+startup|(?:new-itemproperty|set-itemproperty|reg\s+add|regcreatekey|setvalueex)\b[^;]*currentversion\\+run\b|^\[hkey_[^\]]*currentversion\\+run|schtasks\s+/create|register-scheduledtask|launchagents[^;]{0,20}com\.apple\."#,
);
/// Files that are run whenever a shell or Python starts, as a program names them.
static KEPT: Pattern = Pattern::new(
    r#"['"/]\.(?:bashrc|zshrc|zshenv|zprofile|bash_profile|profile|bash_login)['"]|['"/](?:user|site)customize\.py|['"/][\w-]+\.pth['"]"#,
);
/// What hides or takes over when it is started.
static STEALTHY: Pattern = Pattern::new(
    r"(?:~|\$home|\$\{home\}|/tmp|/var/tmp)/\S*\.\w[\w-]*/|/tmp/|-w(?:indowstyle)?\s+hidden|>\s*/dev/null\s+2>&1\s*&|\bnohup\b|\balias\s+(?:sudo|ssh|git|su|ls|cd)=|/\.\w[\w-]*(?:\s|$|['\x22])",
);

static TAKES_OVER: Pattern =
    Pattern::new(r"\balias\s|\bnohup\b|&\s*\)|&\s*['\x22\\]|2>\s*/dev/null");

static GRAVE: Pattern = Pattern::new(
    r"(?:>>?|tee\s+(?:-a\s+)?|open\s*\([^)]*)\s*[^\s;|]*authorized_keys|core\.hookspath\s+[\x22']?(?:/tmp|~|/|\$home)|(?:>>|tee\s+-a)\s*[^\s;|]*\.ssh/config",
);
static PROGRAM: Pattern = Pattern::new(
    r"\basar\s+(?:pack|p)\b|(?:>>?|cp|mv|write\w*\s*\()\s*[^;|]{0,60}(?:app\.asar|resources/app/)",
);
static HOOK: Pattern = Pattern::new(r"(?:>>?|tee|cp|open\s*\([^)]*)\s*[^\s;|]*\.git/hooks/[\w-]+");
static PATH_ONLY: Pattern = Pattern::new(
    r"(?:echo|printf)\s+['\x22](?:export\s+\w+=|eval\s+[\x22\\]*\$\(\s*[\w-]+\s+(?:init|env|shellenv|activate|hook|completion)|source\s+|alias\s|\[\[?\s|\#|\.\s)",
);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !(ctx.is_executed() || matches!(ctx.unit.kind, UnitKind::Prose | UnitKind::Hidden)) {
        return;
    }
    let text = ctx.text;
    let reaches_out =
        hosts::urls(text).next().is_some() || ctx.has(Fact::Sends) || ctx.has(Fact::Decodes);
    let stealthy = ctx.is_executed() && !ctx.file.is_document && STEALTHY.is_match(text);
    if let Some(range) = START
        .find(text)
        .filter(|_| ctx.is_executed() && !ctx.file.is_document)
    {
        let message = "a program is set up to start with the system";
        findings.add(&RULE, ctx, range, Severity::High.even_quoted(), message);
        return;
    }
    if let Some(range) = KEPT.find(text).filter(|_| {
        ctx.is_executed()
            && !ctx.file.is_document
            && ctx.writes_file_nearby()
            && !PROFILE.is_match(text)
    }) {
        let reaches = ctx
            .surrounding_texts(4)
            .any(|text| text.contains("http") || text.contains("curl"));
        let is_python = text.contains("usercustom") || text.contains(".pth");
        let severity = if reaches || is_python {
            Severity::High
        } else {
            Severity::Medium
        };
        let message = "a file that runs by itself is written to";
        findings.add(&RULE, ctx, range, severity.even_quoted(), message);
        return;
    }
    let (range, severity, message) = if let Some(range) = GRAVE.find(text) {
        let severity = if ctx.file.is_document {
            Severity::Medium
        } else {
            Severity::High
        };
        (
            range,
            severity,
            "keys, hosts or hooks of the user are changed",
        )
    } else if let Some(range) = PROFILE.find(text) {
        let takes_over = stealthy && TAKES_OVER.is_match(text);
        let severity = match (reaches_out || takes_over, PATH_ONLY.is_match(text)) {
            (true, _) => Severity::High,
            (false, true) => Severity::Low,
            (false, false) if ctx.file.is_document => Severity::Low,
            (false, false) => Severity::Medium,
        };
        (range, severity, "a shell profile is written to")
    } else if let Some(range) = PROGRAM.find(text).filter(|_| ctx.is_executed()) {
        (range, Severity::High, "another program is rebuilt")
    } else if let Some(range) = HOOK.find(text) {
        let severity = if ctx.file.is_document {
            Severity::Low
        } else {
            Severity::Medium
        };
        (range, severity, "a git hook is installed")
    } else if let Some(range) = opened(ctx) {
        let severity = if ctx.file.is_document {
            Severity::Low
        } else {
            Severity::Medium
        };
        let message = "a file is written that editors, shells or git obey";
        (range, severity, message)
    } else if let Some(range) = TIMER.find(text) {
        let severity = match (reaches_out || stealthy, ctx.file.is_document) {
            (true, _) => Severity::High,
            (false, false) => Severity::Medium,
            (false, true) => Severity::Low,
        };
        (range, severity, "something is set up to run again later")
    } else {
        return;
    };
    findings.add(&RULE, ctx, range, severity, message);
}

/// Where a script writes what runs when a folder is opened or something is committed.
fn opened(ctx: &UnitContext<'_>) -> Option<Range<usize>> {
    let is_one = |path: &str| {
        auto_loaded_files::names(&[OPENED, LEFTHOOK, HOOKS], path)
            || auto_loaded_files::ends(OPENED_ENDINGS, path)
    };
    find_write_target(ctx.text, is_one).filter(|_| ctx.is_executed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::assert_keyword_in_each;

    #[test]
    fn every_name_is_asked_about() {
        assert_keyword_in_each(
            &RULE,
            [OPENED, OPENED_ENDINGS, LEFTHOOK, HOOKS]
                .into_iter()
                .flatten()
                .copied(),
        );
    }
}
