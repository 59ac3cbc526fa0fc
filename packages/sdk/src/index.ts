export { AgentAutomation } from './agent-automation.js';
export { ApiError, type ErrorCode, type ProblemDocument } from './api-error.js';
export type { Definition } from './definition-body.js';
export type { FileDocument } from './documents.js';
export type { Duration } from './durations.js';
export { ConnectionError, TimeoutError } from './errors.js';
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
