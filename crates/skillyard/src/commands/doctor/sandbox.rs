//! What `doctor` says about sandboxes.

use std::path::Path;

use skillyard_sandbox::survey::{LANDLOCK_NEEDED, Survey};
use skillyard_sandbox::{Backend, Command, Live, Profile, Sandbox};

use crate::commands::doctor::{Check, Verdict};
use crate::context::Context;

/// Which sandbox would be used, and what there is to build one from.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let survey = Survey::take();
    let mut checks = vec![
        used(context, &survey),
        bubblewrap(context, &survey),
        landlock(context, &survey),
        seccomp(&survey),
        groups(&survey),
        container(&survey),
    ];
    if survey.root {
        checks.push(check(
            "root",
            Verdict::Good,
            "as root, scripts run as a user without rights".into(),
            None,
        ));
    }
    checks
}

fn check(name: &'static str, verdict: Verdict, message: String, hint: Option<&str>) -> Check {
    Check {
        area: "sandbox",
        name,
        verdict,
        message,
        hint: hint.map(str::to_owned),
    }
}

/// The back end that scripts run in, by running something in it.
fn used(context: &Context, survey: &Survey) -> Check {
    let install = Some("Install `bubblewrap` (`apt install bubblewrap`, `dnf install bubblewrap`)");
    match survey.best_backend(&Profile::default()) {
        Err(error) => check("backend", Verdict::Bad, error.to_string(), install),
        Ok(backend) => match trial(context, survey, backend) {
            Ok(()) => check(
                "backend",
                Verdict::Good,
                format!("scripts run in the sandbox `{backend}`"),
                None,
            ),
            Err(reason) => check(
                "backend",
                Verdict::Bad,
                format!("the sandbox `{backend}` does not work: {reason}"),
                Some("See below why, or choose another with `run --backend`"),
            ),
        },
    }
}

/// Runs the smallest program there is.
fn trial(context: &Context, survey: &Survey, backend: Backend) -> Result<(), String> {
    let launcher = Path::new("/proc/self/exe");
    let sandbox = Sandbox::new(
        backend,
        survey.clone(),
        launcher,
        &context.environment.temporary,
    );
    let ran = sandbox.and_then(|sandbox| {
        sandbox.run(
            &Profile::default(),
            &Command::new("/bin/true"),
            Live::default(),
        )
    });
    match ran {
        Ok(ran) if ran.code() == 0 => Ok(()),
        Ok(ran) => Err(format!("`true` ended with {}", ran.code())),
        Err(error) => Err(error.to_string()),
    }
}

fn bubblewrap(context: &Context, survey: &Survey) -> Check {
    let Some(program) = &survey.bubblewrap else {
        let hint = "Install `bubblewrap`: only it can open the network for single hosts and protect places in a workspace";
        return check(
            "bubblewrap",
            Verdict::Missing,
            "bubblewrap is not installed".into(),
            Some(hint),
        );
    };
    let version = Survey::version(program).unwrap_or_else(|| "of an unknown version".into());
    if let Some(reason) = &survey.namespaces {
        return check(
            "bubblewrap",
            Verdict::Missing,
            format!("{version}, but {reason}"),
            Some("Allow user namespaces, or use landlock"),
        );
    }
    match trial(context, survey, Backend::Bubblewrap) {
        Ok(()) => check(
            "bubblewrap",
            Verdict::Good,
            format!("{version} at {}", program.display()),
            None,
        ),
        Err(reason) => {
            let hint = "Some systems let no program make user namespaces without a profile of AppArmor, and containers often forbid them";
            check(
                "bubblewrap",
                Verdict::Missing,
                format!("{version} does not work here: {reason}"),
                Some(hint),
            )
        }
    }
}

fn landlock(context: &Context, survey: &Survey) -> Check {
    let message = match (survey.landlock, survey.missing(Backend::Landlock)) {
        (Some(version), None) => match trial(context, survey, Backend::Landlock) {
            Ok(()) => {
                return check(
                    "landlock",
                    Verdict::Good,
                    format!("landlock, version {version}"),
                    None,
                );
            }
            Err(reason) => format!("landlock, version {version}, does not work here: {reason}"),
        },
        (_, reason) => reason.unwrap_or_default(),
    };
    let hint = format!(
        "A kernel with landlock {LANDLOCK_NEEDED} (Linux 6.12) can hold scripts without bubblewrap"
    );
    check("landlock", Verdict::Missing, message, Some(&hint))
}

fn seccomp(survey: &Survey) -> Check {
    if survey.seccomp {
        return check("seccomp", Verdict::Good, "seccomp".into(), None);
    }
    check(
        "seccomp",
        Verdict::Bad,
        "the kernel has no seccomp".into(),
        Some("Both sandboxes of Linux need it"),
    )
}

fn groups(survey: &Survey) -> Check {
    match survey.group_version() {
        Some(version) => check(
            "cgroups",
            Verdict::Good,
            format!("control groups, version {version}, limit memory and processes of a script together"),
            None,
        ),
        None => check(
            "cgroups",
            Verdict::Missing,
            "no control groups can be made here: all processes of a script are looked at every 20 ms instead".into(),
            Some("A systemd scope with `Delegate=yes`, or root, can make them; nothing needs them"),
        ),
    }
}

fn container(survey: &Survey) -> Check {
    match &survey.container {
        Some(program) => match Survey::engine_trouble(program) {
            None => check(
                "container",
                Verdict::Good,
                format!("containers by {}", program.display()),
                None,
            ),
            Some(trouble) => check(
                "container",
                Verdict::Missing,
                format!("{} does not work here: {trouble}", program.display()),
                Some("Only `run --backend container` needs one"),
            ),
        },
        None => check(
            "container",
            Verdict::Missing,
            "neither podman nor docker is installed".into(),
            Some("Only `run --backend container` needs one"),
        ),
    }
}
