import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type SealedBox, type SealedCell, sha256 } from '@app/platform/crypto';
import type { ModelProvider } from '@app/platform/models';
import type { Prompt } from '../interpreter/prompt.js';
import { redactedCell } from '../privacy/run-privacies.service.js';
import { isSealed, REDACTED, type SealedValue } from '../privacy/sealed-value.js';
import type { TurnCall, TurnPart } from './turn-call.js';

type Caller = Pick<TurnCall, 'workspaceId' | 'agentId' | 'model'>;

/** Maximum size of the parts of one turn. Larger ones are not kept, and the next turns do without them. */
const MAX_STATE_BYTES = 1024 * 1024;

/**
 * Keeps the reasoning of a turn for the next turns of its conversation. It is recorded with the turn, encrypted, so
 * every worker sends the same bytes, and retention deletes it with the trace.
 */
export class TurnStates {
  constructor(private readonly box: SealedBox) {}

  /** Returns undefined if the parts contain no reasoning that the provider accepts back. */
  sealed(call: Caller, provider: ModelProvider, parts: readonly TurnPart[]): SealedValue | undefined {
    if (!parts.some(isOpaque)) return undefined;
    const state = JSON.stringify({ origin: originOf(call, provider), parts });
    if (Buffer.byteLength(state) > MAX_STATE_BYTES) return undefined;
    return { $sealed: this.box.seal(state, cellOf(call)).toString('base64'), shown: REDACTED };
  }

  /**
   * Returns the prompt with the parts of the turns that this model made with this key. The state of other turns is left
   * out: another model would reject it.
   */
  opened(call: Caller, provider: ModelProvider, prompt: Prompt): Prompt {
    const origin = originOf(call, provider);
    const messages = prompt.messages.map((message) => {
      if (message.role !== 'assistant' || message.state === undefined) return message;
      const { state, ...plain } = message;
      const found = this.open(call, state);
      return found && found.origin === origin ? { ...plain, state: found.parts ?? null } : plain;
    });
    return { ...prompt, messages };
  }

  /** The state is sealed in the worker that recorded it. A worker that claimed the run later has opened it already. */
  private open(call: Caller, state: JsonValue): JsonObject | undefined {
    try {
      const value = isSealed(state)
        ? (JSON.parse(this.box.openText(Buffer.from(state.$sealed, 'base64'), cellOf(call))) as JsonValue)
        : state;
      return isJsonObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Gemini signs its reasoning in the options of texts and calls. */
function isOpaque({ type, options }: TurnPart): boolean {
  const { google } = options ?? {};
  return options !== undefined && (type === 'reasoning' || (isJsonObject(google) && 'thoughtSignature' in google));
}

/** Returns the prompt without the state of any turn. */
export function withoutStates(prompt: Prompt): Prompt {
  const messages = prompt.messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const { state: _, ...plain } = message;
    return plain;
  });
  return { ...prompt, messages };
}

function originOf({ model }: Caller, { secrets }: ModelProvider): string {
  const key = sha256(secrets[0] ?? '')
    .toString('base64url')
    .slice(0, 16);
  return JSON.stringify([model.provider, model.name, key]);
}

function cellOf({ workspaceId, agentId }: Caller): SealedCell {
  return redactedCell({ workspaceId, agentId });
}
