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
export type { GitFile, GitPlace, GitRepository } from './git-repository.js';
export { ImapFolder, type ImapLogin } from './imap-folder.js';
export { HostGuard, type Lookup, type ResolvedAddress } from './host-guard.js';
export { MailRelay } from './mail-relay.js';
export { type MailReceipt, MailRefused, type MailSending, type OutgoingMail } from './outgoing-mail.js';
export { PostgresReader } from './postgres-reader.js';
export { fetchRepository, openMysql } from './rare-readers.js';
export { RowPace } from './row-pace.js';
export { MODEL_EGRESS, modelEgress } from './model-egress.js';
export { type TableReader, TableReadError, type TableRow } from './table-reader.js';
