import { type FieldChange, requestChanges } from '../approvals/approval-view.js';
import type { AuditEvent } from '../data/api.js';

type Names = ReadonlyMap<string, string>;

/** Details that name the target of an event, the best first. */
const NAMES = ['name', 'url', 'email', 'tool', 'action'] as const;

/** Returns the name of the target. If neither the lists nor the event know it, returns its id; null for a session. */
export function targetName({ action, target, detail }: AuditEvent, names: Names): string | null {
  if (target === null || action.startsWith('session.')) return null;
  const named = NAMES.map((name) => detail[name]).find((value) => typeof value === 'string');
  return names.get(target) ?? named ?? target;
}

/** What an event says beside its sentence. */
export interface AuditFacts {
  changes: FieldChange[];
  others: [name: string, value: unknown][];
}

export function auditFacts(event: AuditEvent, names: Names): AuditFacts {
  const { before, after, request, request_before: replaced, ...rest } = event.detail;
  const target = targetName(event, names) ?? '';
  const others = Object.entries(rest).filter(([, value]) => typeof value !== 'string' || !target.startsWith(value));
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
