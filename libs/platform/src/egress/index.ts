/**
 * It blocks private networks (SSRF), limits time and size, and reports for every failure whether the request was sent.
 */
export { EgressClient, type EgressSettings } from './egress-client.js';
export { EgressError, type EgressReason } from './egress-error.js';
export { egressFetch } from './egress-fetch.js';
export type { EgressRequest, EgressResponse } from './egress-request.js';
export {
  DELIVERY_CONCURRENCY,
  type EgressConfig,
  egressConfig,
  type EgressAllowEntry,
  parseEgressAllowEntry,
} from './egress.config.js';
export { EgressModule, MODEL_EGRESS, MODEL_EGRESS_PROVIDER } from './egress.module.js';
export { HostGuard } from './host-guard.js';
export { isWithoutBody } from './exchange.js';
export type { StreamedBody } from './streamed-body.js';
export { redirectTarget } from './redirect.js';
export type { ResponseHead } from './response-head.js';
