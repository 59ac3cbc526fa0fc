import type { JsonObject } from '@app/kernel';
import type { FinishReason } from 'ai';
import type { SaidCall } from '../interpreter/prompt.js';
import { storable } from '../calls/recorded-value.js';
import type { TurnUsage } from './turn-cost.js';

export interface StreamedTurn {
  text: string;
  reasoning: string;
  calls: SaidCall[];
  finish: FinishReason;
  usage: TurnUsage;
}

const USABLE_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** As it is recorded. */
export function recordedTurn({ text, reasoning, calls }: StreamedTurn): JsonObject {
  const ids = new Set<string>();
  const said = calls.map(({ id, name, input }, index) => {
    const usable = USABLE_ID.test(id) && !ids.has(id) ? id : `call_${index + 1}`;
    ids.add(usable);
    return { id: usable, name, input: input ?? null };
  });
  return storable({ text, ...(reasoning && { reasoning }), calls: said }) as JsonObject;
}
