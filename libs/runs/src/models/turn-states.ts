import type { JsonValue } from '@app/kernel';
import { type SealedBox, sha256 } from '@app/platform/crypto';
import type { ModelProvider } from '@app/platform/models';
import type { Prompt } from '../interpreter/prompt.js';
import { turnStateCell } from '../privacy/sealed-tables.js';
import { REDACTED } from '../privacy/sealed-value.js';
import type { OpaqueTurn } from '../records/run-commands.js';
import type { RunStore } from '../store/run.store.js';
import type { ParamWarning } from './request-params.js';
import type { TurnPart } from './run-turns.js';
import type { TurnCall } from './turn-call.js';

type Caller = Pick<TurnCall, 'workspaceId' | 'runId' | 'n' | 'path' | 'model' | 'turns'>;

export type SentParts = ReadonlyMap<string, readonly TurnPart[]>;

/** A run may keep this many times the maximum of a turn. */
const TURNS_OF_RUN = 8;

/** It is recorded in the statement that records the turn, encrypted, and read only if a request needs it. */
export class TurnStates {
  /** Larger parts are not kept. */
  constructor(
    private readonly box: SealedBox,
    private readonly store: Pick<RunStore, 'turnStates'>,
    private readonly maxBytes: number,
  ) {}

  /** Returns nothing if it has no opaque parts. */
  keep(
    { workspaceId, runId, n, path, model, turns }: Caller,
    provider: ModelProvider,
    parts: readonly TurnPart[],
  ): { opaque?: OpaqueTurn; warning?: ParamWarning } {
    if (!parts.some(({ options }) => options)) return {};
    const origin = originOf(model, provider);
    const sealed = this.box.seal(JSON.stringify(parts), turnStateCell(workspaceId, `${runId}.${n}`));
    const reason = this.reasonNotToKeep(sealed.length, turns.keptBytes);
    turns.keep(path, reason ? { n, origin, bytes: 0 } : { n, origin, bytes: sealed.length, parts });
    if (reason) return { opaque: { origin }, warning: { param: 'reasoning', reason } };
    return { opaque: { origin, sealed: sealed.toString('base64') } };
  }

  private reasonNotToKeep(bytes: number, kept: number): string | undefined {
    const rest = 'It was not kept, and later turns continue without it.';
    if (bytes > this.maxBytes)
      return `The reasoning of this turn has ${bytes} bytes and exceeds MAX_TURN_STATE_BYTES (${this.maxBytes}). ${rest}`;
    const maxOfRun = TURNS_OF_RUN * this.maxBytes;
    if (kept + bytes > maxOfRun)
      return `The reasoning of this run exceeds ${TURNS_OF_RUN} times MAX_TURN_STATE_BYTES (${maxOfRun} bytes). ${rest}`;
    return undefined;
  }

  async sendable(call: Caller, provider: ModelProvider, { messages }: Prompt): Promise<SentParts> {
    const { turns, model } = call;
    if (turns.rejectsReasoning(model)) return new Map();
    const origin = originOf(model, provider);
    const states = messages.flatMap((message) => {
      const path = message.role === 'assistant' ? message.turn : undefined;
      const state = path === undefined ? undefined : turns.stateAt(path);
      return path !== undefined && state && state.origin === origin && state.bytes > 0 ? [{ path, state }] : [];
    });
    await this.read(
      call,
      states.map(({ state }) => state).filter(({ parts }) => !parts),
    );
    return new Map(states.flatMap(({ path, state: { parts } }) => (parts ? [[path, parts]] : [])));
  }

  private async read(
    { workspaceId, runId }: Caller,
    states: readonly { n: number; parts?: readonly TurnPart[] }[],
  ): Promise<void> {
    if (states.length === 0) return;
    const positions = states.map(({ n }) => n);
    const found = await this.store.turnStates(workspaceId, runId, positions);
    for (const state of states) {
      const sealed = found.get(state.n);
      const parts = sealed && this.open(sealed, workspaceId, `${runId}.${state.n}`);
      if (parts) state.parts = parts;
    }
  }

  /** Parts that cannot be decrypted are left out. */
  private open(sealed: Buffer, workspaceId: string, row: string): TurnPart[] | undefined {
    try {
      return JSON.parse(this.box.openText(sealed, turnStateCell(workspaceId, row))) as TurnPart[];
    } catch {
      return undefined;
    }
  }
}

/** Returns whether the request leaves out opaque parts of the tool calls that the model has not finished yet. */
export function cutsLoop({ messages }: Prompt, turns: TurnCall['turns'], sent: SentParts): boolean {
  const begin = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(begin + 1)
    .some(
      (message) =>
        message.role === 'assistant' &&
        message.turn !== undefined &&
        turns.stateAt(message.turn) !== undefined &&
        !sent.has(message.turn),
    );
}

/** Shorter texts in the options of parts are words of the protocol. Also the length by which a repetition is found. */
const OPAQUE_CHARACTERS = 16;

export function withoutParts(text: string, sent: SentParts): string {
  const opaque = [...sent.values()].flatMap((parts) => parts.flatMap(({ options = {} }) => textsIn(options)));
  return opaque.filter(({ length }) => length >= OPAQUE_CHARACTERS).reduce(withoutText, text);
}

function withoutText(text: string, opaque: string): string {
  const begin = text.indexOf(opaque.slice(0, OPAQUE_CHARACTERS));
  if (begin === -1) return text;
  let length = OPAQUE_CHARACTERS;
  while (length < opaque.length && text[begin + length] === opaque[length]) length++;
  return `${text.slice(0, begin)}${REDACTED}${withoutText(text.slice(begin + length), opaque)}`;
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function originOf({ provider, name }: TurnCall['model'], { secrets }: ModelProvider): string {
  return sha256(JSON.stringify([provider, name, sha256(secrets[0] ?? '').toString('base64')])).toString('base64url');
}
