export { AgentAutomation } from './agent-automation.js';
export type { Definition } from './definitions.js';
export type { FileDocument } from './documents.js';
export type { FileInput, UploadProgress } from './file-input.js';
export type { UploadOptions } from './files.js';
export type { Duration } from './durations.js';
export { ApiError, ConnectionError, type ErrorCode, type ProblemDocument, TimeoutError } from './errors.js';
export type {
  Agent,
  AgentDefinition,
  AgentVersion,
  Approval,
  Evaluation,
  KnowledgeBase,
  Run,
  RunEvent,
  TraceStep,
  Workspace,
} from './generated/schema.js';
export type { ClientOptions, ListOptions, RequestOptions } from './options.js';
export type { List, Page } from './pages.js';
export type { FollowRunOptions, StartOptions, WaitOptions } from './runs.js';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './webhooks.js';
