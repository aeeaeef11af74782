//! How much a server may send, and how long it may take.

use std::time::Duration;

/// How much a server may send, and how long it may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How long it may take to say hello, in whichever way, or to list something with all pages.
    pub hello: Duration,
    /// How long a call may take.
    pub call: Duration,
    /// Bytes of one message.
    pub message: usize,
    /// Bytes of a result that a model reads.
    pub result: usize,
    /// Tools of a server.
    pub tools: usize,
    /// Characters of a tool's description.
    pub description: usize,
    /// Bytes of a tool's schema.
    pub schema: usize,
    /// Bytes of all that is said of a tool.
    pub tool: usize,
    /// Pages of a list.
    pub pages: usize,
    /// Bytes of a list, with all pages.
    pub list: usize,
    /// Skills of a server.
    pub skills: usize,
    /// Bytes of all that is listed of a skill.
    pub entry: usize,
    /// Files of a skill.
    pub files: usize,
    /// Bytes of all files of a skill.
    pub skill_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hello: Duration::from_secs(20),
            call: Duration::from_mins(1),
            // A file of a skill may have 16 MiB, which Base64 makes a third larger.
            message: 24 << 20,
            result: 64 << 10,
            tools: 128,
            description: 1_024,
            schema: 32 << 10,
            tool: 128 << 10,
            pages: 64,
            list: 32 << 20,
            skills: 256,
            // 512 files with long names have less than half of it.
            entry: 1 << 20,
            files: 512,
            skill_bytes: 16 << 20,
        }
    }
}
