//! Connections of a pool, and the word that there are none to be had.
//!
//! The pool asks a server that refuses again and again until its patience is over, and then says
//! only that it waited. It has to be patient, because others may have all connections in use. So
//! whoever waits looks beside it whether the server answers at all, and is told why it does not.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Any, AnyPool, Connection as _, Either, Execute, Executor, SqlStr, Transaction};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

/// How long somebody waits for a connection before looking whether the server answers.
const GRACE: Duration = Duration::from_millis(500);
/// How long the server may take to answer whoever looks.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long what was seen serves others.
const SERVES: Duration = Duration::from_secs(1);

/// Connections to a database.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    pool: AnyPool,
    lookout: Option<Arc<Lookout>>,
}

impl Connections {
    /// Those of a pool to a file, which is always there.
    pub(super) fn to_file(pool: AnyPool) -> Self {
        let lookout = None;
        Self { pool, lookout }
    }

    /// Those of a pool to a server of PostgreSQL.
    pub(super) fn to_server(pool: AnyPool, address: &str) -> Result<Self, sqlx::Error> {
        let lookout = Lookout {
            options: PgConnectOptions::from_str(address)?,
            last: Mutex::default(),
        };
        let lookout = Some(Arc::new(lookout));
        Ok(Self { pool, lookout })
    }

    /// A connection of one's own.
    pub(crate) async fn acquire(&self) -> Result<PoolConnection<Any>, sqlx::Error> {
        self.unless_away(self.pool.acquire()).await
    }

    /// A connection with a transaction that has begun.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        self.unless_away(self.pool.begin()).await
    }

    /// Closes all of them.
    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    async fn unless_away<T>(
        &self,
        wanted: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        let Some(lookout) = &self.lookout else {
            return wanted.await;
        };
        tokio::select! {
            biased;
            got = wanted => got,
            away = lookout.away() => Err(away.into()),
        }
    }
}

impl<'p> Executor<'p> for &'_ Connections {
    type Database = Any;

    // The rows are gathered: who reads too many for that holds a connection of its own.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<AnyQueryResult, AnyRow>, sqlx::Error>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let connections = self.clone();
        let rows = async move {
            let mut connection = connections.acquire().await?;
            let rows: Vec<_> = connection.fetch_many(query).try_collect().await?;
            Ok::<_, sqlx::Error>(stream::iter(rows.into_iter().map(Ok)))
        };
        stream::once(rows).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<AnyRow>, sqlx::Error>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let connections = self.clone();
        Box::pin(async move { connections.acquire().await?.fetch_optional(query).await })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [AnyTypeInfo],
    ) -> BoxFuture<'e, Result<AnyStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        let connections = self.clone();
        Box::pin(async move {
            let mut connection = connections.acquire().await?;
            connection.prepare_with(sql, parameters).await
        })
    }
}

/// Why a server cannot be reached.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{place}` cannot be reached")]
pub struct Away {
    /// Its host and port, or its socket.
    place: String,
    /// Why.
    source: Arc<sqlx::Error>,
}

impl From<Away> for sqlx::Error {
    fn from(away: Away) -> Self {
        Self::Io(std::io::Error::new(std::io::ErrorKind::NotConnected, away))
    }
}

/// Looks whether a server answers, once for all who want to know.
#[derive(Debug)]
struct Lookout {
    options: PgConnectOptions,
    last: Mutex<Option<(Instant, Option<Away>)>>,
}

impl Lookout {
    /// Returns once the server is found to be away.
    async fn away(&self) -> Away {
        loop {
            sleep(GRACE).await;
            // Hardly anybody comes here, and everybody who waits would carry it along.
            if let Some(away) = Box::pin(self.look()).await {
                return away;
            }
        }
    }

    /// Why the server is away, if it is.
    async fn look(&self) -> Option<Away> {
        // Others wait for the same answer.
        let mut last = self.last.lock().await;
        if let Some((seen, away)) = &*last
            && seen.elapsed() < SERVES
        {
            return away.clone();
        }
        let away = self.connect().await.err().map(|reason| Away {
            place: self.place(),
            source: Arc::new(reason),
        });
        *last = Some((Instant::now(), away.clone()));
        away
    }

    async fn connect(&self) -> Result<(), sqlx::Error> {
        let connecting = timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&self.options));
        let late = || std::io::Error::other(format!("no answer within {CONNECT_TIMEOUT:?}"));
        match connecting.await.map_err(|_| late())? {
            Ok(connection) => connection.close().await,
            Err(error) if is_full(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn place(&self) -> String {
        let port = self.options.get_port();
        match self.options.get_socket() {
            Some(folder) => folder
                .join(format!(".s.PGSQL.{port}"))
                .display()
                .to_string(),
            None => format!("{}:{port}", self.options.get_host()),
        }
    }
}

/// Whether the server has as many connections as it takes: it is there.
fn is_full(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.as_deref() == Some("53300")
}
