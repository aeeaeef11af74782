//! Batches of messages get an error, also in revision 2025-03-26, which has them.

use serde_json::json;

use crate::client::Legacy;
use crate::context::TestServer;

#[tokio::test]
async fn batches_get_an_error() {
    let server = TestServer::new();
    let ping = json!({ "jsonrpc": "2.0", "id": "a", "method": "ping" });
    for revision in ["2025-03-26", "2025-06-18"] {
        let (client, _) = Legacy::open(&server, revision).await;
        for batch in [json!([ping]), json!([])] {
            let answer = client.send(&batch).await;
            assert_eq!(answer.status, 400, "{}", answer.text);
            assert_eq!(answer.json()["error"]["code"], -32600);
        }
        assert_eq!(client.send(&ping).await.status, 200);
    }
}
