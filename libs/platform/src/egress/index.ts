/**
 * The one way to the outside: tools, connectors, models and webhooks all go through {@link EgressClient}. It keeps the
 * service away from private networks (SSRF), within limits, and says of every failure whether anything was sent.
 */
export { EgressClient, type EgressSettings } from './egress-client.js';
export { EgressError, type EgressReason } from './egress-error.js';
export { egressFetch } from './egress-fetch.js';
export type { EgressRequest, EgressResponse } from './egress-request.js';
export { DELIVERY_CONCURRENCY, type EgressConfig, egressConfig } from './egress.config.js';
export { type EgressAllowEntry, parseEgressAllowEntry } from './egress-allow-entry.js';
export { EgressModule } from './egress.module.js';
export { HostGuard } from './host-guard.js';
export { MODEL_EGRESS, MODEL_EGRESS_PROVIDER } from './model-egress.js';
export { redirectTarget } from './redirect.js';
