import type { Approval } from '../data/api.js';
import { jsonOrText } from '../data/json-or-text.js';
import { isFileValue } from '../files/file-value.js';
import { formatBytes } from '../ui/format-values.js';
import { labelText, nameText } from '../data/texts.js';
import { word } from '../data/words.js';

export type Decision = Approval['allowed_decisions'][number];

/** Returns the query key of one approval. Invalidating the key `approvals` also invalidates this query. */
export function approvalKey(id: string): readonly string[] {
  return ['approvals', 'one', id];
}

/** The answers about a tool call with unknown outcome, and what they cause, by the name of the decision. */
export const ANSWERS: Readonly<Record<string, readonly [answer: string, effect: string]>> = {
  mark_succeeded: ['It took effect', 'The run continues.'],
  mark_failed: ['It did not take effect', 'The step fails.'],
  retry: ['Make the call again', 'It did not take effect, and the service makes the call again.'],
};

/** A question that a step of the plan asks a person. */
export interface Question {
  title: string | null;
  /** JSON Schema of the answer. */
  form: object;
  answer: object | null;
}

/** Returns the question of an approval of the kind `question`, or null for an approval of another kind. */
export function questionOf(approval: Approval): Question | null {
  const asked: { title?: string | null; form?: object | null; answer?: object | null; id: string } = approval;
  const { title = null, form = null, answer = null } = asked;
  return form && { title, form, answer };
}

/** Returns the name of the decision that submits the answer to a question. */
export function answerOf({ allowed_decisions: [decision = 'approve'] }: Approval): Decision {
  return decision;
}

/** Returns the title of the question, or the id of its step if the question has no title. */
export function questionTitle({ title }: Question, { tool, policy }: Approval): string {
  return title ?? tool ?? policy;
}

/**
 * Returns what the console calls the approval.
 *
 * @param operation what the definition says about the operation, for example `Refund an order`
 */
export function approvalTitle(approval: Approval, operation?: string): string {
  const { kind, tool, policy } = approval;
  const question = questionOf(approval);
  if (question) return questionTitle(question, approval);
  if (kind === 'in_doubt') return `Did ${tool ?? 'the call'} take effect?`;
  const values = keyValues(approval).map(([name, value]) => `${wordsOf(name)} ${value}`);
  return [operation ?? tool ?? policy, values.join(', ')].filter((part) => part !== '').join(': ');
}

const KEY_VALUES = 2;
const KEY = /^\S{1,24}$/u;

/** Returns the members of the request, or of the shown values, that tell one approval from another. */
export function keyValues({ request, show }: Pick<Approval, 'request' | 'show'>): [name: string, value: string][] {
  return Object.entries(request ?? show)
    .flatMap(([name, value]): [string, string][] =>
      typeof value === 'number' || typeof value === 'string' ? [[name, String(value)]] : [],
    )
    .filter(([, value]) => KEY.test(value))
    .slice(0, KEY_VALUES);
}

/** `order_id` is `order`, and `steps.order.output.total` is `total`. */
function wordsOf(name: string): string {
  return nameText(name.replace(/_id$/, ''));
}

/** Says who started the run, or what if no person did. */
export function startedBy({ initiator, trigger_type: type }: Pick<Approval, 'initiator' | 'trigger_type'>): string {
  return `started by ${initiator ?? word('trigger', type)}`;
}

const REFUSALS: Readonly<Record<string, string>> = {
  automation_key: 'You signed in with a key of a machine. It decides nothing. A person has to decide.',
  self_approval_forbidden: 'You started this run. Another person has to decide. Admins invite people under Settings.',
  test_key_production_mode: 'You signed in with a test key. It decides about runs in mode test only.',
  not_an_approver: 'You are not in a group that may decide. An admin adds members under Settings, Groups.',
  approval_already_decided: 'You have already approved. Another person has to approve too.',
  invalid_request: 'This kind of approval takes no decision of yours.',
};

/**
 * Returns why the signed-in person may not decide, or null if they may.
 *
 * @param missing the approvers that do not exist, as far as this person may know
 */
export function decisionRefusal(approval: Approval, missing: readonly string[]): string | null {
  const { status, can_decide: canDecide, cannot_decide_reason: reason } = approval;
  if (status !== 'open') return `The approval is ${word('status', status)}.`;
  if (canDecide !== false) return null;
  if (missing.length > 0 && missing.length === approval.approvers.length)
    return `The ${missing.length === 1 ? 'group' : 'groups'} ${missing.join(' and ')} ${missing.length === 1 ? 'does' : 'do'} not exist, so no person can decide.`;
  return REFUSALS[reason ?? ''] ?? `You may not decide (${reason ?? 'no reason given'}).`;
}

export interface FieldChange {
  name: string;
  before: unknown;
  after: unknown;
}

/** Returns the fields that differ between two revisions of a request. */
export function requestChanges(before: object | null, after: object | null): FieldChange[] {
  const [old, young] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(young ?? {})])];
  return names
    .map((name) => ({ name, before: old?.[name], after: young?.[name] }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/**
 * Returns the text that a form field shows for a value. A list of strings becomes one entry per line. Any other value
 * that is not a string becomes JSON.
 */
export function fieldText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isTexts(value)) return value.join('\n');
  return JSON.stringify(value, null, 2);
}

/**
 * Converts the text of a form field to a value. If the value `before` the edit was a string or a list of strings, the
 * result has the same type. Otherwise the text is parsed as JSON. A removed file is undefined.
 */
export function fieldValue(text: string, before: unknown): unknown {
  if (text === '' && isFileMember(before)) return Array.isArray(before) ? [] : undefined;
  if (typeof before === 'string') return text;
  if (isTexts(before)) return text.split('\n').filter((line) => line !== '');
  return jsonOrText(text);
}

/** Returns the text that a list shows for a value. A file is its name and its size. */
export function shownText(value: unknown): string {
  const files = Array.isArray(value) ? (value as unknown[]) : [value];
  if (files.length === 0 || !files.every(isFileValue)) return fieldText(value);
  return files.map(({ filename, bytes }) => `${filename} (${formatBytes(bytes)})`).join(', ');
}

/** Returns the expressions that show the value of this field of the request to approvers. */
export function shownAs(show: Approval['show'], name: string, value: unknown): string[] {
  const text = JSON.stringify(value);
  const equal = Object.entries(show).filter(([, other]) => JSON.stringify(other) === text);
  return equal.flatMap(([expression]) => (expression === `request.${name}` ? [] : expression));
}

/** Returns the values that approvers are shown beside the request, which has no field with the same value. */
export function shownBeside({
  request,
  show,
}: Pick<Approval, 'request' | 'show'>): [expression: string, value: unknown][] {
  const texts = new Set(Object.values(request ?? {}).map((value) => JSON.stringify(value)));
  return Object.entries(show).filter(([, value]) => !texts.has(JSON.stringify(value)));
}

/** Returns the labels of values. A value whose short label is not unique has its whole path as the label. */
export function labelsOf(paths: readonly string[]): (path: string) => string {
  const labels = paths.map(labelText);
  return (path) => {
    const label = labelText(path);
    return labels.indexOf(label) === labels.lastIndexOf(label) ? label : path;
  };
}

/** Returns whether a field of the request holds a file, or a list of files. */
export function isFileMember(value: unknown): boolean {
  return isFileValue(value) || (Array.isArray(value) && value.length > 0 && value.every(isFileValue));
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}
