/**
 * The one way to the outside: tools, connectors, models and webhooks all go through {@link EgressClient}. It keeps the
 * service away from private networks (SSRF), within limits, and says of every failure whether anything was sent.
 */
export { EgressClient, type EgressSettings } from './egress-client.js';
export { EgressError } from './egress-error.js';
export { egressFetch } from './egress-fetch.js';
export type { EgressRequest, EgressResponse } from './egress-request.js';
export { EgressModule } from './egress.module.js';
export { GitReadError } from './git-read-error.js';
export type { GitFile } from './git-repository.js';
export { IsolatedRepository } from './isolated-repository.js';
export { ImapFolder } from './imap-folder.js';
export type { ImapLogin } from './imap-session.js';
export { HostGuard } from './host-guard.js';
export { MailRelay } from './mail-relay.js';
export { MailRefused, type OutgoingMail } from './outgoing-mail.js';
export { MODEL_EGRESS, modelEgress } from './model-egress.js';
