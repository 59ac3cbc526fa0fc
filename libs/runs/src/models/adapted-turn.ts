import type { ModelParams } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { Prompt } from '../interpreter/prompt.js';
import { isParamSet, type ParamWarning, paramNamed, withoutParam } from './request-params.js';
import type { StreamedTurn, TurnCall } from './turn-call.js';
import { rejectedNames, rejectsReasoning } from './turn-failure.js';
import { cutsLoop, type SentParts } from './turn-states.js';

export interface TurnContent {
  params: ModelParams;
  parts: SentParts;
  /** False if the request leaves out reasoning of the tool calls that the model has not finished yet. */
  mayThink: boolean;
}

/**
 * If the provider rejects parameters or the reasoning of earlier turns with the status 400, they are left out of one
 * more request, and of the later requests of the run to the model.
 */
export class AdaptedTurn {
  private readonly found: string[] = [];
  private params: ModelParams;
  private isReasoningDropped = false;

  constructor(
    private readonly call: Pick<TurnCall, 'model' | 'params' | 'turns'>,
    private readonly prompt: Prompt,
    private parts: SentParts = new Map(),
  ) {
    this.params = call.turns.rejectedBy(call.model).reduce(withoutParam, call.params);
  }

  async ask(send: (content: TurnContent) => Promise<StreamedTurn>): Promise<StreamedTurn> {
    for (;;) {
      const { params, parts } = this;
      const mayThink = !cutsLoop(this.prompt, this.call.turns, parts);
      try {
        return await send({ params, parts, mayThink });
      } catch (error) {
        if (!this.leaveOut(error)) throw error;
      }
    }
  }

  get warnings(): ParamWarning[] {
    const { model, params, turns } = this.call;
    const reason = `${model.provider}/${model.name} rejected this parameter. It was left out.`;
    const set = turns.rejectedBy(model).filter((param) => isParamSet(params, param));
    return set.map((param) => ({ param, reason }));
  }

  /** `rejected_params` is not part of the API. */
  get facts(): JsonObject {
    return {
      ...(this.found.length > 0 && { rejected_params: this.found }),
      ...(this.isReasoningDropped && { reasoning_dropped: true }),
    };
  }

  private leaveOut(error: unknown): boolean {
    const { model, turns } = this.call;
    if (this.parts.size > 0 && rejectsReasoning(error)) {
      this.parts = new Map();
      this.isReasoningDropped = true;
      turns.rejectReasoning(model);
      return true;
    }
    const param = rejectedNames(error).flatMap((name) => paramNamed(this.params, name) ?? [])[0];
    if (param === undefined) return false;
    this.params = withoutParam(this.params, param);
    this.found.push(param);
    turns.reject(model, param);
    return true;
  }
}
