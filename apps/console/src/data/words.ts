import { capitalized } from './texts.js';

/** Why a run failed, by the error code. */
const RUN_ERRORS = {
  tool_error: 'call failed',
  tool_denied: 'call denied',
  approval_rejected: 'approval rejected',
  approval_expired: 'approval expired',
  budget_exceeded: 'budget exceeded',
  step_limit: 'too many steps',
  loop_limit: 'too many rounds',
  timeout: 'time limit exceeded',
  queue_expired: 'queued for too long',
  output_invalid: 'invalid output',
  provider_error: 'model provider failed',
  provider_rate_limited: 'rate limit of the model provider',
  knowledge_forbidden: 'no access to the knowledge base',
  knowledge_unavailable: 'knowledge base not available',
  secret_missing: 'missing secret',
  connection_forbidden: 'no access to the connection',
  connection_unavailable: 'connection not available',
  worker_lost: 'worker lost',
  recording_failed: 'recording failed',
  in_doubt: 'outcome unknown',
  file_missing: 'missing file',
  file_too_large: 'file too large',
  file_quota_exceeded: 'no room for files',
  file_refused: 'file refused',
  policy_error: 'policy failed',
  assertion_failed: 'assertion failed',
  code_error: 'code failed',
  code_limit: 'limit of code exceeded',
  state_conflict: 'state changed by another run',
  internal_error: 'internal error',
};

/**
 * The words of the console for the values of the API, by kind. A test compares them with the OpenAPI document. Codes of
 * problems are not here: the API sends their titles.
 */
export const WORDS = {
  status: {
    active: 'active',
    answered: 'answered',
    approved: 'approved',
    archived: 'archived',
    authorized: 'authorised',
    awaiting_approval: 'waiting for approval',
    building: 'new index in progress',
    cancelled: 'cancelled',
    completed: 'completed',
    completed_with_errors: 'completed with errors',
    deleted: 'deleted',
    deleting: 'being deleted',
    delivered: 'delivered',
    denied: 'denied',
    disabled: 'disabled',
    duplicate: 'duplicate',
    embedding: 'index in progress',
    enabled: 'enabled',
    error: 'error',
    errored: 'not graded',
    expired: 'expired',
    failed: 'failed',
    failing: 'failing',
    filtered: 'filtered out',
    handed_off: 'handed off',
    in_doubt: 'outcome unknown',
    inconclusive: 'inconclusive',
    not_required: 'not required',
    ok: 'works',
    open: 'open',
    passed: 'passed',
    paused: 'paused',
    pending: 'pending',
    queued: 'queued',
    rate_limited: 'too many events',
    ready: 'ready',
    refused: 'refused',
    rejected: 'rejected',
    running: 'running',
    simulated: 'simulated',
    started: 'run started',
    stopped: 'stopped',
    succeeded: 'succeeded',
    syncing: 'sync in progress',
    waiting: 'waiting',
    waiting_approval: 'waiting for approval',
  },
  /** What a run waits for. */
  waiting: {
    worker: 'waits for a worker',
    time: 'waits',
    approval: 'waits for an approval',
    retry: 'waits for the next attempt',
    child: 'waits for the run of another agent',
    callback: 'waits for a callback',
  },
  step: {
    trigger: 'trigger',
    tool_call: 'call',
    model_call: 'model call',
    reasoning: 'reasoning',
    retrieval: 'search',
    approval: 'approval',
    wait: 'wait',
    in_doubt: 'unknown outcome',
    code: 'code',
    assertion: 'assertion',
    retry: 'retry',
    hand_off: 'hand-off',
    output: 'output',
    error: 'error',
    cancelled: 'cancellation',
    stopped: 'emergency stop',
    resumed: 'resumption',
  },
  /** Why a run, a step or a sync failed. */
  error: {
    ...RUN_ERRORS,
    interrupted: 'interrupted',
    output_truncated: 'answer cut off',
    // Of syncs.
    access_denied: 'access denied',
    api_unreachable: 'API not reachable',
    authorization_revoked: 'permission withdrawn',
    bad_answer: 'unexpected response',
    characters_replaced: 'unreadable characters replaced',
    connector_missing: 'connector not available',
    database_unreachable: 'database not reachable',
    deletions_held: 'deletions held back',
    document_lost: 'document lost',
    document_too_large: 'document too large',
    embedding_refused: 'passage refused by the model',
    embedding_unusable: 'unusable vector',
    empty_enumeration: 'source lists no documents',
    invalid_request: 'invalid settings',
    key_missing: 'item without a key',
    link: 'link to another file',
    listing_incomplete: 'incomplete list',
    not_found: 'not found',
    page_missing: 'page does not exist',
    page_unreachable: 'page not reachable',
    paging_loop: 'endless list',
    rate_limited: 'too many requests',
    redirect_loop: 'endless redirects',
    repository_unreachable: 'repository not reachable',
    robots_refused: 'forbidden by robots.txt',
    robots_unavailable: 'robots.txt not readable',
    scope_missing: 'missing selection',
    scope_wrong: 'invalid selection',
    site_unreachable: 'website not reachable',
    sitemap_unreadable: 'sitemap not readable',
    submodule: 'submodule',
    symbolic_link: 'symbolic link',
    text_missing: 'no text',
    token_refused: 'sign-in refused by the provider',
    too_many: 'too many files',
    too_many_folders: 'too many folders',
    too_many_links: 'too many links',
    too_many_pages: 'too many pages',
    too_many_sitemaps: 'too many sitemaps',
    unreadable: 'not readable',
    unsupported_media_type: 'type not supported',
  },
  /** Why a turn of a model ended. */
  finish: {
    stop: 'answer complete',
    'tool-calls': 'calls requested',
    length: 'token limit reached',
    'content-filter': 'stopped by the content filter',
    error: 'error',
    other: 'other reason',
  },
  /** What a repeated call does. */
  effect: {
    read: 'reads only',
    idempotent: 'write, safe to repeat',
    at_most_once: 'write, at most once',
  },
  policyAction: { allow: 'allows', deny: 'denies', require_approval: 'asks for an approval' },
  access: { read: 'read', write: 'write' },
  /** What a person decided. */
  decision: {
    approve: 'approved',
    edit: 'approved with changes',
    reject: 'rejected',
    answer: 'answered',
    mark_succeeded: 'marked as succeeded',
    mark_failed: 'marked as failed',
    retry: 'had the call made again',
    expire: 'expired',
  },
  via: {
    api: 'API',
    console: 'console',
    cli: 'command line',
    email: 'e-mail',
    slack: 'Slack',
    mcp: 'assistant',
  },
  role: { viewer: 'viewer', operator: 'operator', builder: 'builder', admin: 'admin' },
  scope: {
    'agents:read': 'see agents',
    'runs:read': 'see runs',
    'approvals:read': 'see approvals',
    'approvals:decide': 'decide approvals',
    'knowledge:read': 'search knowledge',
    'connections:read': 'see connections',
    'files:read': 'read files',
    'agents:run': 'start runs',
    'runs:cancel': 'cancel runs',
    'files:write': 'upload and delete files',
    'agents:write': 'change agents',
    'agents:promote': 'promote versions',
    'knowledge:write': 'change knowledge',
    'knowledge:grant': 'grant access to knowledge',
    'webhooks:manage': 'manage webhooks',
    'secrets:write': 'change secrets',
    'connections:write': 'change connections',
    'runs:reveal': 'reveal redacted values',
    'keys:manage': 'manage API keys',
    'members:manage': 'manage members',
    'audit:read': 'read the audit log',
    'workspace:stop': 'stop and resume all agents',
  },
  keyKind: { live: 'production', test: 'test only', mcp: 'assistant' },
  /** Who may read a knowledge base. */
  reader: { user: 'person', group: 'group', channel: 'mailbox or channel', agent: 'agent' },
  mode: { production: 'production', test: 'test' },
  /** What started a run, and the kinds of triggers. */
  trigger: {
    api: 'API',
    webhook: 'webhook',
    'email.received': 'e-mail',
    schedule: 'schedule',
    poll: 'poll',
    evaluation: 'evaluation',
    replay: 'replay',
    agent: 'another agent',
    mcp: 'assistant',
  },
  severity: { info: 'for information', warning: 'to review', critical: 'critical' },
  /** Requirements of the promotion gate. */
  gate: {
    min_pass_rate: 'Lowest pass rate',
    confidence: 'Confidence',
    must_pass: 'Must pass',
    max_regressions: 'Most regressions',
    max_cost_increase: 'Highest cost increase',
    max_latency_increase: 'Highest time increase',
    max_age: 'Oldest evaluation',
  },
  assertion: {
    equals: 'expected value',
    contains: 'expected text',
    regex: 'pattern',
    json_schema: 'JSON Schema',
    cel: 'condition',
    status: 'status of the run',
    tool_called: 'expected call',
    not_tool_called: 'forbidden call',
    tool_order: 'order of calls',
    approval_requested: 'expected approval',
    denied: 'expected denial',
    cites: 'citation',
    file_shown: 'shown file',
    cost: 'cost',
    latency: 'active time',
    steps: 'number of steps',
    similar: 'similarity',
    llm_rubric: 'judgement of a model',
  },
  searchMode: { keyword: 'by keyword', semantic: 'by meaning', hybrid: 'by keyword and meaning' },
  recorded: { recorded: 'recorded', live: 'called again' },
  /** How a model got a file. */
  fileShown: { image: 'as an image', document: 'as a document', text: 'as text', no: 'not shown' },
  fileReason: {
    off: 'the definition turns files off',
    type: 'the model cannot read the type',
    too_large: 'too large',
    unreadable: 'no text could be read',
    missing: 'deleted or lost',
  },
  fileSource: {
    upload: 'upload',
    email: 'e-mail',
    tool: 'tool',
    form: 'form',
    callback: 'callback',
    run: 'run',
    fixture: 'fixture',
  },
  /** Why an endpoint is disabled. */
  disabled: {
    requested: 'disabled by a member',
    gone: 'the endpoint answered that it is gone',
    failing: 'all deliveries failed for too long',
  },
  signIn: { link: 'link', invitation: 'invitation', email: 'e-mail', oidc: 'single sign-on', key: 'API key' },
  schedule: { manual: 'only when you start it', hourly: 'every hour', daily: 'every day', weekly: 'every week' },
  bulkAction: { cancel: 'cancellation', replay: 'replay' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export const ERROR_CODES = Object.keys(RUN_ERRORS);
export const TRIGGER_TYPES = Object.keys(WORDS.trigger);

export type WordKind = keyof typeof WORDS;

/** Returns the word for a value of the API. A value of a newer service becomes readable without its underscores. */
export function word(kind: WordKind, value: string): string {
  const words: Readonly<Record<string, string>> = WORDS[kind];
  return Object.hasOwn(words, value) ? (words[value] ?? value) : value.replaceAll('_', ' ');
}

/** Returns the options of a select field for values of the API. */
export function wordOptions(kind: WordKind, values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: word(kind, value) }));
}

const UNITS: Readonly<Record<string, string>> = { ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** Returns `7 days` for the duration `7d` of a definition or a filter. Returns any other text unchanged. */
export function periodText(duration: string): string {
  const [, count = '', unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return count === '' ? duration : `${count} ${UNITS[unit]}${count === '1' ? '' : 's'}`;
}

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/pdf': 'PDF',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'text/markdown': 'Markdown',
  'text/plain': 'Text',
};

/** Returns the usual name of a media type, or the media type itself. */
export function documentTypeText(type: string): string {
  return Object.hasOwn(DOCUMENT_TYPES, type) ? (DOCUMENT_TYPES[type] ?? type) : type;
}

/** Returns the name of the language of a document, for example `English`. */
export function languageText(language: string): string {
  return language === 'simple' ? 'none' : capitalized(language);
}

/** Singular words for the lists and maps of a definition. */
const MEMBERS: Readonly<Record<string, string>> = {
  approvals: 'approval rule',
  cases: 'case',
  branches: 'branch',
  connections: 'connection',
  errors: 'error',
  headers: 'header',
  mocks: 'mock',
  operations: 'operation',
  overrides: 'override',
  policies: 'policy',
  properties: 'property',
  secrets: 'secret',
  sources: 'source',
  steps: 'step',
  tools: 'tool',
  triggers: 'trigger',
};

/**
 * Returns the place in a document for a JSON pointer, with names in backticks: ``policy 1, `name` `` for
 * `/policies/0/name`.
 */
export function placeText(pointer: string): string {
  const names = pointer.split('/').slice(1);
  const parts: string[] = [];
  for (let index = 0; index < names.length; index++) {
    const name = unescaped(names[index] ?? '');
    const next = names[index + 1];
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    if (member === undefined || next === undefined) {
      parts.push(/^\d+$/.test(name) ? `entry ${Number(name) + 1}` : `\`${name}\``);
      continue;
    }
    parts.push(`${member} ${/^\d+$/.test(next) ? Number(next) + 1 : `\`${unescaped(next)}\``}`);
    index++;
  }
  return parts.length === 0 ? 'the whole document' : parts.join(', ');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
