/**
 * The one way to the outside: tools, connectors, models and webhooks all go through {@link EgressClient}. It keeps the
 * service away from private networks (SSRF), within limits, and says of every failure whether anything was sent.
 */
export { EgressClient, type EgressSettings } from './egress-client.js';
export { EGRESS_REASONS, EgressError, type EgressReason } from './egress-error.js';
export { egressFetch } from './egress-fetch.js';
export type { EgressRequest, EgressResponse } from './egress-request.js';
export { EgressModule } from './egress.module.js';
export type { StreamingResponse } from './streamed-answer.js';
export { GitReadError } from './git-read-error.js';
export type { GitFile, GitPlace } from './git-repository.js';
export { IsolatedRepository, type RepositorySettings } from './isolated-repository.js';
export { type FolderSettings, ImapFolder } from './imap-folder.js';
export type { ImapLogin } from './imap-session.js';
export { HostGuard, type Lookup, type ResolvedAddress } from './host-guard.js';
export { MailRelay } from './mail-relay.js';
export { type MailReceipt, MailRefused, type MailSending, type OutgoingMail } from './outgoing-mail.js';
export { MODEL_EGRESS, modelEgress } from './model-egress.js';
