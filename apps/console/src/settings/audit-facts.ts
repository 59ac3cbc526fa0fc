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
const NAMES = ['name', 'url', 'email', 'tool', 'action'] as const;

/** Returns the name of the target. If neither the lists nor the event know it, returns its id; null for a session. */
export function targetName({ action, target, detail }: AuditEvent, names: Names): string | null {
  if (target === null || action.startsWith('session.')) return null;
  if (action.startsWith('workspace.')) return 'the workspace';
  const named = NAMES.map((name) => detail[name]).find((value) => typeof value === 'string');
  return names.get(target) ?? named ?? target;
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
  const others = Object.entries(rest).filter(
    ([name, value]) => value !== null && !UNSAID.has(name) && !(typeof value === 'string' && target.startsWith(value)),
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

/** Replaces the ids in a text by names. */
export function withNames(text: string, names: Names): string {
  return text.replaceAll(/\b[a-z]+_[0-9a-z]{26}\b/gu, (id) => names.get(id) ?? id);
}
