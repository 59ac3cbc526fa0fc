import type { CompiledDefinition } from '@app/definition';
import { invariant, type JsonObject, type JsonValue } from '@app/kernel';
import { takenAwayBy } from './active-runs.js';
import type { AttemptRecords } from './attempt-records.js';
import { admit } from './call-admission.js';
import { type LostCall, reconciliationCall, wasApplied } from './gates.js';
import type { Call } from '../interpreter/plan.js';
import type { RunContext } from '../interpreter/step-scope.js';
import type { ClaimedRun, IntendedStep } from '../records/run-commands.js';
import type { OutboundCalls } from './outbound-calls.js';
import type { AttemptState } from '../records/attempt-state.js';
import { callIntent, settledResult } from './step-records.js';
import type { ToolCallResult } from '../calls/tool-call.js';

/** What an attempt is about, and the signal that ends it. */
export interface AttemptContext {
  run: ClaimedRun;
  definition: CompiledDefinition;
  facts: RunContext;
  signal: AbortSignal;
}

/**
 * Calls that were under way when their worker was lost or broke them off, and the question what became of them, which is
 * put to the read that their operation names (`reconcile`).
 *
 * A write that must not happen twice waits for the answer, or for a person. One that its receiver recognises by its key is
 * asked about as well where its definition says how, and made again where nobody can tell.
 */
export class LostCalls {
  /** Paths of calls that this attempt has asked about: once is enough, whatever the answer was. */
  private readonly asked = new Set<string>();

  constructor(
    private readonly context: AttemptContext,
    private readonly memory: AttemptState,
    private readonly records: AttemptRecords,
    private readonly calls: OutboundCalls,
  ) {}

  /** Whether it has to be found out what became of the call before anything else is done about it. */
  isUnclear(call: Call): boolean {
    const state = this.memory.openStep(call.path)?.state;
    if (state === 'in_doubt') return true;
    return state === 'interrupted' && call.operation.effect === 'idempotent' && this.canAsk(call);
  }

  canAsk({ path, operation }: Call): boolean {
    return operation.reconcile !== null && !this.asked.has(path);
  }

  /** The call as it was sent, for whoever has to judge what became of it. */
  lost(call: Call): LostCall {
    return { call: this.memory.asRecorded(call), key: this.calls.keyOf(call) };
  }

  /**
   * Asks what became of the call, and takes note of the answer where it tells. False: the run is no longer ours to work on.
   */
  async ask(call: Call): Promise<boolean> {
    this.asked.add(call.path);
    const lost = this.lost(call);
    const question = this.questionAbout(lost);
    if (!question) return true;
    const begun = await this.records.advance([callIntent(question, this.memory)]);
    const step = begun?.steps[0];
    if (!begun || !step) return false;
    const answer = await this.calls.callTool(question, step, begun);
    this.records.addResult(settledResult(question, step, answer, takenAwayBy(this.context.signal)));
    if (answer.kind === 'not_started') this.wasNotAsked(call, question, step);
    const response = responseOf(answer);
    if (!response) return true;
    const applied = wasApplied(lost, response);
    if (applied === true) this.happened(lost.call, question, response.body ?? null);
    else if (applied === false) this.didNotHappen(lost.call);
    return true;
  }

  /** The question has not left the service: it is begun again, as every call is that was taken back. */
  private wasNotAsked(call: Call, question: Call, { n, request }: IntendedStep): void {
    this.asked.delete(call.path);
    this.memory.begun(question.path, request);
    this.memory.leftOpen(question.path, n, 'ready');
  }

  /** The question is a call like any other: it is asked where the policies let it pass, and nobody approves of questions. */
  private questionAbout(lost: LostCall): Call | null {
    const { definition, run, facts } = this.context;
    const question = reconciliationCall(definition, lost);
    if (!question) return null;
    const admission = admit(definition, run, question, facts);
    if (admission.kind === 'settled') this.records.addNotes([admission.note]);
    return admission.kind === 'begin' ? question : null;
  }

  /** What is in doubt gets its outcome; what was broken off has ended, so that what is known now follows it in the trace. */
  private happened({ path, request, operation }: Call, question: Call, output: JsonValue): void {
    const open = this.openStep(path);
    const detail = { response_summary: `${question.operation.fullName} tells that it has happened.`, reconciled: true };
    if (open.state === 'in_doubt') {
      this.records.addResult({ n: open.n, state: 'succeeded', output, detail });
      this.memory.succeeded(path, { ok: true, output });
    } else {
      const { fullName: tool, scope, effect } = operation;
      const state = 'succeeded' as const;
      this.records.addNotes([{ path, type: 'tool_call', state, tool, scope, effect, request, output, detail }]);
      this.memory.settled(path, { ok: true, output });
    }
  }

  private didNotHappen({ path }: Call): void {
    const { n, state } = this.openStep(path);
    if (state === 'in_doubt') this.records.addResult({ n, state: 'interrupted' });
    this.memory.leftOpen(path, n, 'interrupted');
  }

  private openStep(path: string): NonNullable<ReturnType<AttemptState['openStep']>> {
    const open = this.memory.openStep(path);
    invariant(open, 'a lost call is recorded');
    return open;
  }
}

function responseOf(answer: ToolCallResult): JsonObject | null {
  if (answer.kind !== 'answered' && answer.kind !== 'refused') return null;
  return answer.response ?? null;
}
