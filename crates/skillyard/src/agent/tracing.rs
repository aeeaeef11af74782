//! Who else hears of sessions: the receiver of traces, if one is configured.

use std::sync::Arc;

use secrecy::SecretString;
use skillyard_agent::telemetry::{OtlpEndpoint, OtlpExporter, TelemetrySubscriber, Tracer};

use super::model;
use crate::context::Context;
use crate::error::CommandError;

/// Who hears of sessions. All sessions of a process have the same way to the receiver.
pub(crate) fn subscribers(
    context: &Context,
) -> Result<Vec<Arc<dyn TelemetrySubscriber>>, CommandError> {
    if let Some(tracer) = context.tracer.get() {
        return Ok(vec![Arc::clone(tracer) as Arc<dyn TelemetrySubscriber>]);
    }
    let receiver = context.config()?.trace_receiver();
    let Some(receiver) = receiver.map_err(CommandError::Setting)? else {
        return Ok(Vec::new());
    };
    let client = model::client(context, &receiver.url, "telemetry.endpoint")?;
    let headers = receiver.headers.into_iter().map(|(name, value)| {
        let value = SecretString::from(value.expose().to_owned());
        (name, value)
    });
    let otlp = OtlpExporter::new(
        OtlpEndpoint {
            client,
            url: receiver.url,
            headers: headers.collect(),
        },
        env!("CARGO_PKG_VERSION"),
    );
    let tracer = context.tracer.get_or_init(|| Arc::new(Tracer::new(otlp)));
    Ok(vec![Arc::clone(tracer) as Arc<dyn TelemetrySubscriber>])
}
