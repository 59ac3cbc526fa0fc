import type { OperationEffect } from '@app/definition';
import type { Ask, Call, Outbound } from '../interpreter/plan.js';

export function isOutbound(ask: Ask): ask is Outbound {
  return ask.kind === 'call' || ask.kind === 'model_call';
}

export function isWrite(call: Outbound): call is Call {
  return call.kind === 'call' && call.operation.scope === 'write';
}

/** What making it twice does. A turn of a model changes nothing; it only costs. */
export function effectOf(call: Outbound): OperationEffect {
  return call.kind === 'call' ? call.operation.effect : 'read';
}
