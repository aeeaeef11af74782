//! Who may do what: roles for skills and in namespaces, and handing them over.

use jiff::SignedDuration;
use skillyard_audit::{Event, EventKind};
use skillyard_format::Namespace;
use sqlx::AnyConnection;

use crate::database::insist;
use crate::error::RegistryError;
use crate::names;
use crate::registry::{Registry, allow, enough};
use crate::role::Role;
use crate::squat::Among;
use crate::store::transfers::{self, Transfer};
use crate::store::{namespaces, roles, stored, tokens};
use crate::subject::Subject;
use crate::token::{self, Action, Identity};

/// How long an offer stands.
const STANDS: SignedDuration = SignedDuration::from_hours(24 * 14);

impl Registry {
    /// Gives an account a role, or takes it away; the last owner stays.
    pub async fn set_role(
        &self,
        identity: &Identity,
        subject: &Subject,
        account: &str,
        role: Option<Role>,
    ) -> Result<(), RegistryError> {
        let event = changed(identity, subject)
            .detail("of", account.chars().take(64).collect::<String>())
            .detail("role", role.map_or("none", Role::as_str));
        let once = || self.try_set_role(identity, subject, account, role);
        let result = insist(RegistryError::is_passing, once).await;
        self.noted(event, result).await
    }

    async fn try_set_role(
        &self,
        identity: &Identity,
        subject: &Subject,
        account: &str,
        role: Option<Role>,
    ) -> Result<(), RegistryError> {
        self.writable().await?;
        allow(identity, Action::Owners, &subject.scope())?;
        account_named(account)?;
        let (mut change, sequence) = self.change().await?;
        subject.exists(&mut change).await?;
        let own = subject.role(&mut change, &identity.account).await?;
        // Everybody may go.
        let leaves = role.is_none() && account == identity.account && own.is_some();
        if !leaves {
            enough(own, Role::Owner, identity, &subject.text())?;
        }
        if role.is_some() {
            somebody(&mut change, subject, account).await?;
        }
        subject.set(&mut change, account, role, self.now()).await?;
        subject.touch(&mut change, sequence).await?;
        change.commit().await?;
        Ok(())
    }

    /// Makes a namespace, whose first owner is whoever asks; nothing happens when it is theirs.
    pub async fn create_namespace(
        &self,
        identity: &Identity,
        namespace: &Namespace,
    ) -> Result<(), RegistryError> {
        let subject = Subject::Namespace(namespace.clone());
        let event = changed(identity, &subject).detail("change", "created");
        let result = self.try_create(identity, namespace).await;
        if let Ok(RoleChange::Before) = result {
            return Ok(());
        }
        self.noted(event, result.map(|_| ())).await
    }

    async fn try_create(
        &self,
        identity: &Identity,
        namespace: &Namespace,
    ) -> Result<RoleChange, RegistryError> {
        self.writable().await?;
        let is_own = namespace.as_str() == identity.account;
        let within = format!("{namespace}/");
        // Who may publish in their own namespace may have it.
        if !is_own || !identity.may_within(Action::Publish, &within) {
            allow(identity, Action::Owners, &within)?;
        }
        names::check_namespace(namespace)?;
        let text = namespace.as_str();
        self.hold_if_near(Among::Namespaces, text, &namespace.to_string(), identity)
            .await?;
        let folded = names::folded_text(text);
        let (mut change, _) = self.change().await?;
        if let Some(found) = namespaces::lookalike(&mut change, &folded).await? {
            if found != text {
                return Err(RegistryError::Confusable {
                    name: namespace.to_string(),
                    other: format!("@{found}"),
                });
            }
            let role = namespaces::role(&mut change, namespace, &identity.account).await?;
            enough(role, Role::Owner, identity, &namespace.to_string())?;
            return Ok(RoleChange::Before);
        }
        // Somebody's own namespace waits for them, whoever else has a name that looks like theirs.
        let accounts = namespaces::accounts(&mut change).await?;
        let is_other = |each: &&String| {
            **each != identity.account && names::folded_text(&each.to_lowercase()) == folded
        };
        if let Some(other) = accounts.iter().find(is_other).filter(|_| !is_own) {
            return Err(RegistryError::Confusable {
                name: namespace.to_string(),
                other: other.clone(),
            });
        }
        let now = self.now();
        namespaces::add(&mut change, namespace, &folded, now).await?;
        let account = &identity.account;
        roles::IN_NAMESPACES
            .set(&mut change, text, account, Role::Owner, now)
            .await?;
        change.commit().await?;
        Ok(RoleChange::Now)
    }

    /// Offers to hand a skill or a namespace over; nothing changes until it is accepted.
    pub async fn offer(
        &self,
        identity: &Identity,
        subject: &Subject,
        recipient: &str,
    ) -> Result<Transfer, RegistryError> {
        let event = changed(identity, subject)
            .detail("change", "offered")
            .detail("of", recipient.chars().take(64).collect::<String>());
        let result = async {
            self.writable().await?;
            allow(identity, Action::Owners, &subject.scope())?;
            account_named(recipient)?;
            let now = self.now();
            let expires = now.checked_add(STANDS).map_err(RegistryError::internal)?;
            let transfer = Transfer {
                subject: subject.text(),
                sender: identity.account.clone(),
                recipient: recipient.to_owned(),
                expires: stored(expires),
            };
            let (mut change, _) = self.change().await?;
            subject.exists(&mut change).await?;
            let role = subject.role(&mut change, &identity.account).await?;
            enough(role, Role::Owner, identity, &subject.text())?;
            subject
                .can_be_given_by(&mut change, &identity.account)
                .await?;
            somebody(&mut change, subject, recipient).await?;
            transfers::offer(&mut change, &transfer, now).await?;
            change.commit().await?;
            Ok(transfer)
        };
        self.noted(event, result.await).await
    }

    /// Takes over what was offered: who accepts becomes an owner, who offered is none any more.
    pub async fn accept(
        &self,
        identity: &Identity,
        subject: &Subject,
    ) -> Result<(), RegistryError> {
        let event = changed(identity, subject).detail("change", "accepted");
        let once = || self.try_accept(identity, subject);
        let result = insist(RegistryError::is_passing, once).await;
        self.noted(event, result).await
    }

    async fn try_accept(
        &self,
        identity: &Identity,
        subject: &Subject,
    ) -> Result<(), RegistryError> {
        self.writable().await?;
        allow(identity, Action::Owners, &subject.scope())?;
        let now = self.now();
        let (mut change, sequence) = self.change().await?;
        let found = transfers::find(&mut change, &subject.text(), now).await?;
        let found = found.filter(|found| found.recipient == identity.account);
        let Some(found) = found else {
            return Err(RegistryError::NoTransfer(subject.text()));
        };
        // Who is no owner any more has nothing to give.
        let role = subject.role(&mut change, &found.sender).await?;
        if role != Some(Role::Owner) {
            return Err(RegistryError::NoTransfer(subject.text()));
        }
        subject.can_be_given_by(&mut change, &found.sender).await?;
        let owner = Some(Role::Owner);
        subject
            .set(&mut change, &found.recipient, owner, now)
            .await?;
        if found.sender != found.recipient {
            subject.set(&mut change, &found.sender, None, now).await?;
        }
        transfers::remove(&mut change, &found.subject).await?;
        subject.touch(&mut change, sequence).await?;
        change.commit().await?;
        Ok(())
    }

    /// Takes an offer back, or declines it.
    pub async fn decline(
        &self,
        identity: &Identity,
        subject: &Subject,
    ) -> Result<(), RegistryError> {
        let event = changed(identity, subject).detail("change", "declined");
        let result = async {
            self.writable().await?;
            allow(identity, Action::Owners, &subject.scope())?;
            let (mut change, _) = self.change().await?;
            let found = transfers::find(&mut change, &subject.text(), self.now()).await?;
            let role = subject.role(&mut change, &identity.account).await?;
            let is_theirs =
                |found: &Transfer| found.recipient == identity.account || role == Some(Role::Owner);
            let Some(found) = found.filter(is_theirs) else {
                return Err(RegistryError::NoTransfer(subject.text()));
            };
            transfers::remove(&mut change, &found.subject).await?;
            change.commit().await?;
            Ok(())
        };
        self.noted(event, result.await).await
    }
}

/// Whether something had to be made.
enum RoleChange {
    Before,
    Now,
}

fn changed(identity: &Identity, subject: &Subject) -> Event {
    Event::new(EventKind::RegistryOwnersChanged)
        .skill(subject.text())
        .detail("account", &identity.account)
}

/// Refuses an account that nobody has: whoever gets a misspelled name later would have the role.
///
/// Who has a role already is somebody, also where a registry was set up again without its tokens.
async fn somebody(
    connection: &mut AnyConnection,
    subject: &Subject,
    account: &str,
) -> Result<(), RegistryError> {
    if tokens::has_account(connection, account).await?
        || subject.role(connection, account).await?.is_some()
    {
        return Ok(());
    }
    Err(RegistryError::NoAccount(account.to_owned()))
}

fn account_named(account: &str) -> Result<(), RegistryError> {
    if token::is_account(account) {
        return Ok(());
    }
    let reason = "an account is 1 to 64 letters, digits, `-`, `_` and `.`";
    Err(RegistryError::Parameter(reason.to_owned()))
}
