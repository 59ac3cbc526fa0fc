import { type FieldChange, requestChanges } from '../approvals/approval-view.js';
import type { AuditEvent } from '../data/api.js';
import { ACTION_WORDS } from './audit-filters.js';

type Names = ReadonlyMap<string, string>;

/** A newer service may have other actions. */
const WORDS: Readonly<Record<string, string>> = ACTION_WORDS;

/** Returns what the actor did, as words before the target. A test run of an unsaved definition adds a hidden agent. */
export function actionWords({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): string {
  if (action === 'agent.create' && detail['draft'] === true) return 'started a test run of the draft';
  return WORDS[action] ?? action;
}

/** Details that name the target of an event, the best first. */
const NAMES = ['name', 'filename', 'url', 'email', 'tool', 'action'] as const;

/** Returns the id of the thing that a person looks for: of a sync its source, and of a delivery its endpoint. */
export function subjectId({ action, target, detail }: AuditEvent): string | null {
  const owner = action.startsWith('sync.') ? detail['source'] : action === 'webhook.retry' ? detail['endpoint'] : null;
  return typeof owner === 'string' ? owner : target;
}

/**
 * Returns the name of the target. If neither the lists nor the event know it, returns its shortened id; null for a
 * session. The target of a document is its source.
 */
export function targetName(event: AuditEvent, names: Names): string | null {
  const { action, detail } = event;
  const subject = subjectId(event);
  if (subject === null || action.startsWith('session.')) return null;
  if (action.startsWith('workspace.')) return 'the workspace';
  const named = NAMES.map((name) => detail[name]).find((value) => typeof value === 'string');
  const listed = names.get(subject);
  return (action.startsWith('document.') ? (named ?? listed) : (listed ?? named)) ?? shortened(subject);
}

/** What an event says beside its sentence. */
export interface AuditFacts {
  changes: FieldChange[];
  others: [name: string, value: unknown][];
}

/** Details that tell a person nothing. */
const UNSAID: ReadonlySet<string> = new Set(['sha256', 'draft']);

/** Returns the details with the state before and after the event under these names. */
function compared({ action, detail }: AuditEvent): AuditEvent['detail'] {
  if (action === 'group.update' && 'before' in detail) {
    const { members, ...rest } = detail;
    return { ...rest, after: members };
  }
  if (action !== 'agent.promote' || typeof detail['previous_version'] !== 'number') return detail;
  const { previous_version: before, production_version: after, ...rest } = detail;
  return { ...rest, before, after };
}

export function auditFacts(event: AuditEvent, names: Names): AuditFacts {
  const { before, after, request, request_before: replaced, ...rest } = compared(event);
  const target = targetName(event, names) ?? '';
  const subject = subjectId(event);
  const others = Object.entries(rest).filter(
    ([name, value]) =>
      value !== null &&
      value !== subject &&
      !UNSAID.has(name) &&
      !(typeof value === 'string' && target.startsWith(value)),
  );
  if (typeof before === 'number' && typeof after === 'number')
    return { changes: [{ name: 'production', before, after }], others };
  if (Array.isArray(before) && Array.isArray(after)) {
    const onlyIn = (list: unknown[], other: unknown[]): unknown[] => list.filter((each) => !other.includes(each));
    const removed = onlyIn(before, after).map((value) => ({ name: 'removed', before: value, after: undefined }));
    const added = onlyIn(after, before).map((value) => ({ name: 'added', before: undefined, after: value }));
    return { changes: [...removed, ...added], others };
  }
  if (isObject(request) && isObject(replaced)) return { changes: requestChanges(replaced, request), others };
  const kept = Object.entries({ before, after, request, request_before: replaced });
  return { changes: [], others: [...others, ...kept.filter(([, value]) => value !== undefined)] };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Replaces the ids in a text by names, or shortens them. */
export function withNames(text: string, names: Names): string {
  return text.replaceAll(/\b[a-z]+_[0-9a-z]{26}\b/gu, (id) => names.get(id) ?? shortened(id));
}

/** Shortens the id `run_01kahzvk3te9d8q6f0f1v3m2sx` to `run_…m2sx`. Returns any other text unchanged. */
function shortened(text: string): string {
  return text.replace(/^([a-z]+_)[0-9a-z]{22}([0-9a-z]{4})$/u, '$1…$2');
}

export function factText(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
