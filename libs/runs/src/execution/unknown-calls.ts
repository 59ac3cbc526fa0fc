import type { CompiledDefinition } from '@app/definition';
import { invariant, type JsonObject, type JsonValue } from '@app/kernel';
import { abortedBy } from './active-runs.service.js';
import type { AttemptRecords } from './attempt-records.js';
import { admitCall } from './call-admission.js';
import { type UnknownCall, reconciledOutcome, reconciliationCall } from './approval-gates.js';
import type { Call } from '../interpreter/plan.js';
import type { RunContext } from '../interpreter/step-scope.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import type { OutboundCalls } from './outbound-calls.js';
import type { AttemptState } from '../records/attempt-state.js';
import { callIntent, settledResult } from './step-records.js';
import type { ToolCallResult } from '../calls/tool-call.js';

export interface AttemptContext {
  run: ClaimedRun;
  definition: CompiledDefinition;
  runContext: RunContext;
  signal: AbortSignal;
}

/**
 * An at-most-once write waits until the reconciliation or a person states the outcome. An idempotent write is repeated
 * if the reconciliation does not show the outcome.
 */
export class UnknownCalls {
  private readonly asked = new Set<string>();

  constructor(
    private readonly context: AttemptContext,
    private readonly state: AttemptState,
    private readonly records: AttemptRecords,
    private readonly calls: OutboundCalls,
  ) {}

  hasUnknownOutcome(call: Call): boolean {
    const state = this.state.openStep(call.path)?.state;
    if (state === 'in_doubt') return true;
    return state === 'interrupted' && call.operation.effect === 'idempotent' && this.canAsk(call);
  }

  canAsk({ path, operation }: Call): boolean {
    return operation.reconcile !== null && !this.asked.has(path);
  }

  asSent(call: Call): UnknownCall {
    return { call: this.state.asRecorded(call), key: this.calls.keyOf(call) };
  }

  async askTool(call: Call): Promise<boolean> {
    this.asked.add(call.path);
    const lost = this.asSent(call);
    const question = this.questionAbout(lost);
    if (!question) return true;
    const begun = await this.records.advance([callIntent(question, this.state)]);
    const step = begun?.steps[0];
    if (!begun || !step) return false;
    const answer = await this.calls.callTool(question, step, begun);
    this.records.addResult(settledResult(question, step, answer, abortedBy(this.context.signal)));
    if (answer.kind === 'not_started') this.takeBackQuestion(call, question, step);
    const response = responseOf(answer);
    if (!response) return true;
    const outcome = reconciledOutcome(lost, response);
    if (outcome?.applied === true) this.recordApplied(lost.call, question, outcome.output);
    else if (outcome?.applied === false) this.recordNotApplied(lost.call);
    return true;
  }

  private takeBackQuestion(call: Call, question: Call, { n, request }: IntendedStep): void {
    this.asked.delete(call.path);
    this.state.begun(question.path, request);
    this.state.leftOpen(question.path, n, 'ready');
  }

  /**
   * Returns null if the call has none, if a policy denies the reconciliation or requires an approval, or if its result
   * is simulated, mocked or replayed.
   */
  private questionAbout(lost: UnknownCall): Call | null {
    const { definition, run, runContext } = this.context;
    const question = reconciliationCall(definition, lost);
    if (!question) return null;
    const admission = admitCall(definition, run, question, runContext);
    if (admission.kind === 'settled') this.records.addNotes([admission.note]);
    return admission.kind === 'begin' ? question : null;
  }

  /**
   * If the step of the call is `in_doubt`, the outcome is recorded in this step. An `interrupted` step has already
   * ended, so the outcome is recorded as a new step.
   */
  private recordApplied({ path, request, operation }: Call, question: Call, output: JsonValue): void {
    const open = this.openStep(path);
    const detail = {
      response_summary: `${question.operation.fullName} shows that the call was carried out.`,
      reconciled: true,
    };
    if (open.state === 'in_doubt') {
      this.records.addResult({ n: open.n, state: 'succeeded', output, detail });
      this.state.succeeded(path, { ok: true, output });
    } else {
      const { fullName: tool, scope, effect } = operation;
      const state = 'succeeded' as const;
      this.records.addNotes([{ path, type: 'tool_call', state, tool, scope, effect, request, output, detail }]);
      this.state.settled(path, { ok: true, output });
    }
  }

  private recordNotApplied({ path }: Call): void {
    const { n, state } = this.openStep(path);
    if (state === 'in_doubt') this.records.addResult({ n, state: 'interrupted' });
    this.state.leftOpen(path, n, 'interrupted');
  }

  private openStep(path: string): NonNullable<ReturnType<AttemptState['openStep']>> {
    const open = this.state.openStep(path);
    invariant(open, 'a lost call is recorded');
    return open;
  }
}

function responseOf(answer: ToolCallResult): JsonObject | null {
  if (answer.kind !== 'answered' && answer.kind !== 'refused') return null;
  return answer.response ?? null;
}
