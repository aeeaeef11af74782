//! What goes through the gateway while a call is made, and what comes of it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use serde_json::Map;
use skillyard_agent::mcp_client::{OnProgress, ProgressUpdate};

use crate::mcp_gateway::{machine, server};

/// A server of one tool, which tells how far it is and gives a large image.
const FAR: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *server/discover*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}';;
    *tools/list*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"shot"}]}}';;
    *tools/call*)
      token=$(printf '%s' "$line" | sed -n 's/.*"progressToken":\([0-9]*\).*/\1/p')
      test -n "$token" && echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'$token',"progress":1,"total":2,"message":"half"}}'
      data=$(head -c 1400000 /dev/zero | tr '\0' A)
      printf '%s\n' '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"image","mimeType":"image/png","data":"'"$data"'"}],"structuredContent":{"a":1}}}';;
  esac
done"#;

#[test]
fn progress_and_large_results_go_through() {
    let near = machine();
    near.write("../far.sh", FAR);
    let config = "[mcp.servers.far]\ncommand = 'sh'\nargs = ['SCRIPT']\n";
    let script = near.folder.path().join("far.sh");
    let config = config.replace("SCRIPT", script.to_str().unwrap());
    near.write("../home/.skillyard/config.toml", config);
    let servers = server(&near, &["--gateway"]);
    let told: Arc<Mutex<Vec<ProgressUpdate>>> = Arc::default();
    let heard = Arc::clone(&told);
    let progress: OnProgress = Arc::new(move |step| heard.lock().unwrap().push(step));
    let called = servers.call_with_progress(
        "mcp__near__far__shot",
        &Map::new(),
        Map::new(),
        Some(progress),
        &AtomicBool::new(false),
    );
    let raw = called.unwrap().result.raw;
    let image = raw["content"][0]["data"].as_str();
    assert_eq!(image.map(str::len), Some(1_400_000));
    assert_eq!(raw["structuredContent"]["a"], 1);
    let half = ProgressUpdate {
        progress: 1.0,
        total: Some(2.0),
        message: Some("half".into()),
    };
    assert_eq!(*told.lock().unwrap(), [half]);
}
