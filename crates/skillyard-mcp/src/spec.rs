//! A server as the configuration names it.

use std::ffi::OsString;
use std::path::PathBuf;

use reqwest::blocking::Client;
use secrecy::SecretString;

use crate::limits::Limits;

/// A server as the configuration names it.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name, which [`crate::is_server_name`] accepts.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// If given, only these of its tools, by its own names for them.
    pub only: Option<Vec<String>>,
    /// How much it may send.
    pub limits: Limits,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Transport {
    /// It is a program of ours.
    Stdio(Launch),
    /// It is somewhere else.
    Http {
        /// The connections; they follow no redirects.
        client: Client,
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, SecretString)>,
    },
}

/// A program that speaks on its standard input and output.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program; a name is looked up in the `PATH` of `environment`.
    pub program: OsString,
    /// What it is told.
    pub arguments: Vec<SecretString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, SecretString)>,
    /// The folder it starts in.
    pub folder: PathBuf,
}
