import { ApiSchema, OmitType } from '@nestjs/swagger';
import { type JsonObject, parseMicros } from '@app/kernel';
import {
  RUN_ERROR_CODES,
  RUN_MODES,
  RUN_STATUSES,
  type RunErrorCode,
  type RunFilter,
  type RunMode,
  type RunStatus,
  TRIGGER_TYPES,
  type TriggerType,
} from '@app/runs';
import { AgentId, OneOf, Text, TimeParameter, Whole } from '../http/fields.js';
import { anyOrder, PageQuery } from '../http/list-pages.service.js';

const MAX_NUMBER = 2 ** 31 - 1;
/** The only label that a run can have without its version. */
const CLIENT_LABEL = 'mcp_client';

const AMOUNT = {
  optional: true,
  pattern: /^\d{1,9}(\.\d{1,6})?$/,
  message: '$property must be an amount such as 0.25, with at most six decimals',
  example: '0.25',
} as const;

/** They search the runs page by page, so a bulk action cannot select runs with them. */
const SEARCHING = ['q', 'min_duration_ms', 'max_duration_ms', 'min_cost', 'max_cost'] as const;

export class ListRunsQuery extends PageQuery {
  @AgentId({ optional: true, description: 'Id of the agent.', example: 'agt_01kahzvk3te9d8q6f0f1v3m2sx' })
  agent?: string;
  @OneOf(RUN_STATUSES, {
    optional: true,
    list: true,
    description: 'Statuses to list. In a query, repeat the parameter or separate statuses with commas.',
  })
  status?: RunStatus[];
  @OneOf(TRIGGER_TYPES, { optional: true, description: 'Type of the trigger that started the run.' })
  trigger_type?: TriggerType;
  @OneOf(RUN_MODES, { optional: true, description: 'Mode of the run.' }) mode?: RunMode;
  @TimeParameter({ optional: true, description: 'Start of the period of creation, inclusive.' }) since?: Date;
  @TimeParameter({ optional: true, description: 'End of the period of creation, exclusive.' }) until?: Date;
  @Whole({ optional: true, minimum: 1, highest: MAX_NUMBER, description: 'Number of the version.', example: 3 })
  version?: number;
  @Text({ optional: true, maxLength: 320, description: 'E-mail address of the person who started the run.' })
  initiator?: string;
  @OneOf(RUN_ERROR_CODES, { optional: true, suggests: true, description: 'Error code of a failed run.' })
  error_code?: RunErrorCode;
  @Text({
    optional: true,
    maxLength: 16,
    description: 'Group of equal errors.',
    example: '0f3a5b7c9d1e2f40',
  })
  error_group?: string;
  @Text({
    optional: true,
    list: true,
    repeats: true,
    maxItems: 20,
    pattern: /^[^=]{1,200}=.{0,1000}$/s,
    message: 'each value in label must be `key=value`',
    description: 'Labels as `key=value`, all of which must match. In a query, repeat the parameter for several labels.',
    example: ['team=support'],
  })
  label?: string[];
  @Text({ optional: true, maxLength: 64, description: 'Id of the run that was replayed.' }) replay_of?: string;
  @Text({ optional: true, maxLength: 64, description: 'Id of the run that started the runs as child runs.' })
  parent?: string;
  @Text({
    optional: true,
    list: true,
    repeats: true,
    maxItems: 100,
    maxLength: 64,
    description: 'Ids of runs. Unknown ids are left out. In a query, repeat the parameter for several runs.',
  })
  id?: string[];
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 200,
    description:
      'Text that error, input or output contains. A page searches 2,000 runs, so a short one may have `next_cursor`.',
    example: 'order 1002',
  })
  q?: string;
  @Whole({ optional: true, minimum: 0, highest: MAX_NUMBER, description: 'Shortest active time. Searches as `q`.' })
  min_duration_ms?: number;
  @Whole({ optional: true, minimum: 0, highest: MAX_NUMBER, description: 'Longest active time. Searches as `q`.' })
  max_duration_ms?: number;
  @Text({ ...AMOUNT, description: 'Lowest cost. Searches as `q`.' }) min_cost?: string;
  @Text({ ...AMOUNT, description: 'Highest cost. Searches as `q`.' }) max_cost?: string;
}

@ApiSchema({
  description:
    'Filter for runs, with the filters of `GET /v1/runs` except those that search. A run must match all of them.',
})
export class RunsFilter extends OmitType(ListRunsQuery, ['limit', 'order', 'cursor', ...SEARCHING] as const) {}

type ReadFilters = RunsFilter & Pick<ListRunsQuery, (typeof SEARCHING)[number]>;

export function runFilter(query: ReadFilters): RunFilter {
  const { agent, status, trigger_type, mode, since, until, version, initiator, error_code, label } = query;
  const labels = new Map(label?.map(readLabel));
  // A run has one value for each label, so two values of the same label match no run.
  const isContradiction = labels.size < new Set(label).size;
  const mcpClient = labels.get(CLIENT_LABEL);
  labels.delete(CLIENT_LABEL);
  return {
    agentId: agent,
    statuses: status,
    triggerType: trigger_type,
    mode,
    since,
    until,
    version,
    // Addresses are stored in lower case.
    initiator: initiator?.toLowerCase(),
    errorCode: error_code,
    errorGroup: query.error_group,
    labels: labels.size > 0 ? Object.fromEntries(labels) : undefined,
    mcpClient,
    replayOf: query.replay_of,
    parent: query.parent,
    ids: isContradiction ? [] : query.id,
    text: query.q,
    minDurationMs: query.min_duration_ms,
    maxDurationMs: query.max_duration_ms,
    minCostMicros: micros(query.min_cost),
    maxCostMicros: micros(query.max_cost),
  };
}

function micros(amount: string | undefined): bigint | undefined {
  return amount === undefined ? undefined : parseMicros(amount);
}

function readLabel(label: string): [key: string, value: string] {
  const at = label.indexOf('=');
  return [label.slice(0, at), label.slice(at + 1)];
}

/**
 * Returns the filters for a cursor or an idempotency claim. Equal filters give the same result, even if the client
 * sends their values in another order.
 */
export function cursorFilters(query: ReadFilters): JsonObject {
  return {
    agent: query.agent ?? null,
    status: anyOrder(query.status),
    trigger_type: query.trigger_type ?? null,
    mode: query.mode ?? null,
    since: query.since?.toISOString() ?? null,
    until: query.until?.toISOString() ?? null,
    version: query.version ?? null,
    initiator: query.initiator?.toLowerCase() ?? null,
    error_code: query.error_code ?? null,
    label: anyOrder(query.label),
    replay_of: query.replay_of ?? null,
    parent: query.parent ?? null,
    id: anyOrder(query.id),
    ...laterFilters(query),
  };
}

/** Omits absent filters, so that cursors and claims from before these filters existed stay valid. */
function laterFilters(query: ReadFilters): JsonObject {
  const names = ['error_group', ...SEARCHING] as const;
  return Object.fromEntries(names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])));
}
