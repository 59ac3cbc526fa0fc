import type { Approval } from '../data/api.js';
import { word } from '../data/words.js';
import type { AnyStep } from './step-facts.js';

/** A policy of the version, and what it decided about one call. */
export interface Policy {
  name: string;
  when: string;
  decision: string;
  hasDecided: boolean;
}

const OTHERWISE: Readonly<Record<string, string>> = {
  allow: 'Did not stop the call.',
  deny: 'Did not deny the call.',
  require_approval: 'Did not ask for an approval.',
};

/**
 * Returns all policies of the definition, because each of them judges each call, and the default if it decided.
 * `steps` has the approval of the call.
 */
export function policiesAbout(
  definition: unknown,
  call: AnyStep,
  steps: readonly AnyStep[],
  approvals: readonly Approval[],
): Policy[] {
  const path = pathOf(call);
  const asked = steps.find((step) => step.type === 'approval' && pathOf(step) === path);
  const approval = approvals.find(({ id }) => id === asked?.approval);
  const decisionOf = (name: string): string | undefined => {
    if (call.policy === name) return `Denied the call: ${messageOf(call)}`;
    if (asked?.policy === name) return askedText(asked);
    return approval?.reason.includes(`; also ${name}: `) ? `Asked too. ${askedText(asked)}` : undefined;
  };
  const all = policiesOf(definition).map(({ name, when, action }) => {
    const decision = decisionOf(name);
    return { name, when, decision: decision ?? OTHERWISE[action] ?? '', hasDecided: decision !== undefined };
  });
  const decisive = call.policy ?? asked?.policy;
  const isDefault = typeof decisive === 'string' && !all.some(({ name }) => name === decisive);
  if (!isDefault) return all;
  return [...all, { name: decisive, when: '', decision: decisionOf(decisive) ?? '', hasDecided: true }];
}

function askedText(step: AnyStep | undefined): string {
  const { approvers, status, decided_by: by, comment } = step ?? {};
  const groups = Array.isArray(approvers) && approvers.length > 0 ? approvers.join(', ') : 'the admins';
  const people = Array.isArray(by) && by.length > 0 ? ` by ${by.join(', ')}` : '';
  const said = typeof comment === 'string' && comment !== '' ? `: ${comment}` : '.';
  return `Asked ${groups} for an approval: ${word('status', String(status))}${people}${said}`;
}

function messageOf({ error }: AnyStep): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : '';
}

function pathOf({ path = '' }: AnyStep): string {
  return path.split('#')[0] ?? '';
}

function policiesOf(definition: unknown): { name: string; when: string; action: string }[] {
  const { policies } = (definition ?? {}) as { policies?: unknown };
  if (!Array.isArray(policies)) return [];
  return (policies as Record<string, unknown>[]).map(({ name, when, action }) => ({
    name: String(name),
    when: String(when),
    action: String(action),
  }));
}
