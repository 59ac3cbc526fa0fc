import type { Advance, Gate, StepIntent } from '../../libs/runs/src/records/run-commands.js';
import type { OpenStep } from './worker-model.js';

export const BEGINNINGS = [
  'read',
  'two reads',
  'read after a note',
  'idempotent',
  'at most once',
  'gated',
  'needs two',
  'approval step',
  'wait',
] as const;
export type Beginning = (typeof BEGINNINGS)[number];

type CallIntent = StepIntent & { type: 'tool_call' };

/** Returns the content of one database write that begins steps, such as calls. Each new step has its own path. */
export function beginningOf(kind: Beginning, newPath: () => string): Pick<Advance, 'notes' | 'intents' | 'pauseMs'> {
  switch (kind) {
    case 'read':
      return { notes: [], intents: [callOf('read', newPath())] };
    case 'two reads':
      return { notes: [], intents: [callOf('read', newPath()), callOf('read', newPath())] };
    case 'read after a note':
      return {
        notes: [{ path: newPath(), type: 'assertion', state: 'succeeded' }],
        intents: [callOf('read', newPath())],
      };
    case 'idempotent':
      return { notes: [], intents: [callOf('idempotent', newPath())] };
    case 'at most once':
      return { notes: [], intents: [callOf('at_most_once', newPath())] };
    case 'gated':
      return { notes: [], intents: [{ ...callOf('at_most_once', newPath()), gate: aGate('tool_call') }] };
    case 'needs two':
      return {
        notes: [],
        intents: [
          {
            ...callOf('at_most_once', newPath()),
            gate: aGate('tool_call', { required: 2, onReject: 'continue', onTimeout: 'hand_off' }),
          },
        ],
      };
    case 'approval step':
      return {
        notes: [],
        intents: [
          {
            type: 'approval',
            path: newPath(),
            gate: aGate('step', { onReject: 'hand_off', failureIsHandled: true, onTimeout: 'fail' }),
          },
        ],
      };
    case 'wait':
      return { notes: [], intents: [{ type: 'wait', path: newPath(), dueInMs: 3_600_000 }], pauseMs: 7_200_000 };
  }
}

/**
 * Returns whether a write of this kind also releases the run. A worker sends such a write only while it has no open
 * call.
 */
export function letsGo(kind: Beginning): boolean {
  return ['gated', 'needs two', 'approval step', 'wait'].includes(kind);
}

/**
 * Returns the intent that continues an open step. It either repeats the stored call, or asks a person about a call in
 * doubt.
 */
export function resumptionOf({ n, path, effect, state }: OpenStep): CallIntent {
  const intent = { ...callOf(effect ?? 'read', path), request: { forged: true }, resumes: n };
  return state === 'in_doubt' ? { ...intent, gate: aGate('in_doubt') } : intent;
}

function callOf(effect: CallIntent['effect'], path: string): CallIntent {
  const scope = effect === 'read' ? 'read' : 'write';
  return { type: 'tool_call', path, tool: `shop.${effect}`, scope, effect, request: { call: path } };
}

interface GateRules {
  required: number;
  onReject: Gate['onReject'];
  onTimeout: Gate['rule']['onTimeout'];
  failureIsHandled: boolean;
}

function aGate(kind: Gate['kind'], rules: Partial<GateRules> = {}): Gate {
  const { required = 1, onReject = 'fail', onTimeout = 'reject', failureIsHandled = false } = rules;
  return {
    kind,
    policy: 'payments',
    reason: 'amount > 100',
    rule: {
      name: 'payments',
      approvers: ['finance'],
      required,
      selfApproval: false,
      timeoutMs: 86_400_000,
      onTimeout,
      onReject,
      show: [],
    },
    onReject,
    handOffTo: ['support'],
    failureIsHandled,
    show: {},
  };
}
