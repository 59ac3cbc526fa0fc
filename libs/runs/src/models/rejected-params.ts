import type { ModelChoice, ModelParams } from '@app/definition';
import { isJsonObject } from '@app/kernel';
import type { RecordedStep } from '../records/run-commands.js';
import { isParamSet, type ParamWarning, paramNamed, withoutParam } from './request-params.js';
import type { StreamedTurn, TurnCall } from './turn-call.js';
import { rejectedNames } from './turn-failure.js';

type Caller = Pick<TurnCall, 'runId' | 'model' | 'params' | 'rejected'>;

/** Maximum number of runs and models whose rejected parameters a process remembers. */
const MAX_REMEMBERED = 1_000;

/**
 * Leaves out the parameters that a provider rejects with the status 400. Later requests of the run to the model leave
 * them out at once, also in another process, because the warnings of the run name them.
 */
export class RejectedParams {
  private readonly known = new Map<string, ReadonlySet<string>>();

  async ask(call: Caller, send: (params: ModelParams) => Promise<StreamedTurn>): Promise<StreamedTurn> {
    const key = JSON.stringify([call.runId, call.model.provider, call.model.name]);
    const left = [...new Set([...(call.rejected ?? []), ...(this.known.get(key) ?? [])])];
    let params = left.reduce(withoutParam, call.params);
    for (;;) {
      try {
        const turn = await send(params);
        return { ...turn, warnings: [...warningsOf(call, left), ...turn.warnings] };
      } catch (error) {
        const set = params;
        const param = rejectedNames(error).flatMap((name) => paramNamed(set, name) ?? [])[0];
        if (param === undefined) throw error;
        params = withoutParam(params, param);
        left.push(param);
        this.remember(key, param);
      }
    }
  }

  private remember(key: string, param: string): void {
    this.known.set(key, new Set([...(this.known.get(key) ?? []), param]));
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_REMEMBERED && oldest !== undefined) this.known.delete(oldest);
  }
}

/** Returns the parameters that the model rejected according to the recorded steps of a run. */
export function recordedRejections(
  steps: readonly Pick<RecordedStep, 'type' | 'detail'>[],
  model: ModelChoice,
): string[] {
  const reason = reasonOf(model);
  return steps.flatMap(({ type, detail }) => {
    const warnings = type === 'model_call' && Array.isArray(detail?.warnings) ? detail.warnings : [];
    return warnings.flatMap((each) =>
      isJsonObject(each) && each.reason === reason && typeof each.param === 'string' ? [each.param] : [],
    );
  });
}

/** Only the parameters that the definition sets are reported. */
function warningsOf({ model, params }: Caller, left: readonly string[]): ParamWarning[] {
  const set = left.filter((param) => isParamSet(params, param));
  return set.map((param) => ({ param, reason: reasonOf(model) }));
}

/** It is recorded, and identifies the warnings about rejections. Keep it. */
function reasonOf({ provider, name }: ModelChoice): string {
  return `${provider}/${name} rejected this parameter. It was left out.`;
}
