//! The scopes that have a say here.

use std::path::{Path, PathBuf};

use skillyard_catalog::path_probe::resolved;
use skillyard_install::scope::{Scope, ScopeKind};
use skillyard_install::target;

use crate::context::Context;
use crate::scope::{ScopeContext, project, surroundings};

/// The scopes that commands mean here.
pub(crate) fn scopes(context: &Context) -> Vec<Scope> {
    let home = &context.environment.skillyard_home;
    let project = project(context).map(|root| Scope::project(&root, home));
    project.into_iter().chain(user_scope(context)).collect()
}

/// The same with what lies around each, and what to type behind a command so that it means the scope.
pub(crate) fn all(context: &Context) -> Vec<(ScopeContext, &'static str)> {
    let scopes = scopes(context);
    // In a project, commands mean the project's skills.
    let is_in_project = scopes.iter().any(|each| each.kind == ScopeKind::Project);
    let typed = |scope: &Scope| match scope.kind {
        ScopeKind::User if is_in_project => " --scope user",
        _ => "",
    };
    let scopes = scopes.into_iter();
    let places = scopes.map(|scope| {
        let typed = typed(&scope);
        (ScopeContext::with(context, scope), typed)
    });
    places.collect()
}

/// The scopes whose locks have a say about the skills that are found here: the user's, and those of
/// all projects that the current folder is in, the outermost first. What a project in the home
/// folder installed lies among the user's own skills, so that it has a say everywhere.
pub(crate) fn deciding(context: &Context) -> Vec<Scope> {
    let environment = &context.environment;
    let surroundings = surroundings(context);
    let mut roots: Vec<&Path> = surroundings.levels().collect();
    roots.extend(environment.home.as_deref());
    roots.reverse();
    let home = &environment.skillyard_home;
    let projects = roots.into_iter().map(|root| Scope::project(root, home));
    // With a link a project can name the user's folders as its own. The user's lock knows better.
    user_scope(context).into_iter().chain(projects).collect()
}

/// Whether a scope has its skills among the user's own.
pub(crate) fn is_among_own(context: &Context, scope: &Scope) -> bool {
    let home = context.environment.home.as_deref();
    scope.kind == ScopeKind::User
        || home.is_some_and(|home| resolved(home) == resolved(&scope.root))
}

/// The other scopes that may have their skills in the same folders: where the home directory is a
/// project, or a variable puts a folder of the user's agents into one.
pub(super) fn neighbours(context: &Context, scope: &Scope) -> Vec<Scope> {
    let Some(user) = user_scope(context) else {
        return Vec::new();
    };
    let moved = user.moved_targets();
    let mut roots: Vec<PathBuf> = moved
        .flat_map(|each| target::roots(&resolved(each)))
        .collect();
    roots.push(resolved(&user.root));
    match scope.kind {
        ScopeKind::User => {
            roots.sort_unstable();
            roots.dedup();
            let project = |root: &PathBuf| Scope::project(root, &scope.skillyard_home);
            roots.iter().map(project).collect()
        }
        ScopeKind::Project if roots.contains(&resolved(&scope.root)) => vec![user],
        ScopeKind::Project => Vec::new(),
    }
}

/// The scope of the user, who may have no home.
fn user_scope(context: &Context) -> Option<Scope> {
    let environment = &context.environment;
    let home = environment.home.as_deref();
    let (variables, own) = (&environment.agent_variables, &environment.skillyard_home);
    home.map(|home| Scope::user(home, variables, own))
}
