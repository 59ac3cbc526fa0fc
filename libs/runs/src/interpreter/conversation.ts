import {
  KNOWLEDGE_SEARCH,
  type KnowledgeUse,
  type RetryPolicy,
  type SchemaValidator,
  structureMisfit,
  type ToolOperation,
  withoutFileKeyword,
} from '@app/definition';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import {
  type Answer,
  dataMessage,
  inputMessage,
  passagesMessage,
  type Prompt,
  type PromptMessage,
  readAnswer,
  repairMessage,
  resultMessage,
  type SaidCall,
  systemPrompt,
  type ToolMessage,
  type Turn,
} from './prompt.js';
import { exceedBudget, type PlanInProgress } from './plan-in-progress.js';
import { argumentsProblem, type CallPlace, firstTry, outcomeOfCall, requestProblem } from './calls.js';
import { CitedSources } from './cited-sources.js';
import { nextTry, postponedBefore } from './retries.js';
import type { ModelCall, Outcome } from './plan.js';
import { concurrently, type Progress, StepFailure } from './progress.js';
import type { CallError, RunErrorCode } from './run-error.js';
import { FILES_RULE, numberedFiles, type PromptFile } from './prompt-files.js';
import { describedFiles } from './run-file-facts.js';
import { questionOf, retrieval } from './retrieval.js';
import { nameOf, ToolCatalog } from './tool-catalog.js';

export interface ModelTask {
  place: string;
  stepId: string | null;
  instructions: string;
  data: JsonValue;
  operations: readonly ToolOperation[];
  knowledge: readonly KnowledgeUse[];
  /** If null, the answer is the text of the model, as `{text}`. */
  output: SchemaValidator | null;
  /** If null, only the step limit of the run applies. */
  maxCalls: number | null;
  retry: RetryPolicy;
  timeoutMs: number | null;
  steps: JsonObject;
}

const TURN_TIMEOUT_MS = 120_000;
const READS_AT_A_TIME = 8;
const SUMMARY_CHARACTERS = 2_000;

/**
 * If a call fails with one of these error codes, the conversation ends, because the model cannot avoid the error by
 * another call.
 */
const FATAL: ReadonlySet<RunErrorCode> = new Set([
  'secret_missing',
  'connection_forbidden',
  'connection_unavailable',
  'in_doubt',
  'internal_error',
]);

/**
 * Each turn and each call is an ask (see plan.ts), so its outcome is recorded. If the conversation continues in another
 * process, that process computes the same messages from the recorded outcomes.
 */
export function conversation(plan: PlanInProgress, task: ModelTask): Progress {
  return new Conversation(plan, task).carryOut();
}

class Conversation {
  private readonly catalog: ToolCatalog;
  private readonly messages: PromptMessage[];
  private readonly sources: CitedSources;
  private readonly files: readonly PromptFile[];
  private calls = 0;

  constructor(
    private readonly plan: PlanInProgress,
    private readonly task: ModelTask,
  ) {
    this.catalog = new ToolCatalog(task.operations);
    this.sources = new CitedSources(task.knowledge);
    const { data, files } = numberedFiles(task.data, plan.files, task.data === plan.facts.input);
    this.files = files;
    this.messages = [{ ...dataMessage(data, inputMessage), ...(files.length > 0 && { files }) }];
  }

  *carryOut(): Progress {
    yield* this.readFirst();
    let isRepair = false;
    for (let number = 1; ; number++) {
      const path = `${this.task.place}turn[${number}]`;
      const turn = yield* this.takeTurn(path, isRepair);
      const said = turn.calls.map((call) => ({ ...call, name: this.wireName(call.name) }));
      const { text } = turn;
      this.messages.push({ role: 'assistant', text, ...(isRepair ? { calls: [] } : { calls: said, turn: path }) });
      if (turn.calls.length === 0 || isRepair) {
        const answer = this.answerOf(turn);
        if ('value' in answer) return this.cited(path, turn.text, answer.value);
        if (isRepair) throw this.failure('output_invalid', `The model's answer cannot be used: ${answer.problem}`);
        isRepair = true;
        this.messages.push({ role: 'user', text: repairMessage(answer.problem) });
        continue;
      }
      this.noteReasoning(path, turn);
      this.messages.push({ role: 'tool', results: yield* this.callTools(path, turn.calls) });
    }
  }

  /** The query is the text of the input. */
  private *readFirst(): Progress<void> {
    const uses = this.task.knowledge.filter(({ mode }) => mode === 'always');
    const query = questionOf(this.task.data);
    for (const [index, { base, topK }] of uses.entries()) {
      const place = this.placeOf(`${this.task.place}knowledge[${index + 1}]`);
      const outcome = yield* retrieval(this.plan, { base, query, topK }, place, null);
      if (!outcome.ok && FATAL.has(outcome.error.code)) throw new StepFailure(outcome.error);
      const found = this.resultFor(place.path, outcome);
      this.sources.addRetrieved(found.result ?? null);
      this.messages.push(dataMessage({ base, ...found }, passagesMessage));
    }
  }

  private *takeTurn(path: string, isRepair: boolean): Progress<Turn> {
    const { model } = this.plan.definition;
    if (!model) throw this.failure('internal_error', 'The definition has no model.');
    for (;;) {
      const outcome = this.plan.outcome(path);
      if (outcome?.ok) return readTurn(outcome.output);
      const error = outcome?.error;
      if (error?.code === 'budget_exceeded') exceedBudget(this.plan, this.task.place, error);
      // The files of the input could not be read for a long time, so another model could not see them either.
      if (error?.code === 'tool_error' && !error.awaitsStorage) throw new StepFailure(error);
      const tries = outcome ? outcome.tries : 0;
      const next = nextTry(model, this.task.retry, tries, error);
      if (!next)
        throw error
          ? new StepFailure(error)
          : this.failure('internal_error', 'No model of the definition can be tried any more.');
      this.checkBudget();
      const ask: ModelCall = {
        kind: 'model_call',
        path,
        stepId: this.task.stepId,
        model: next.choice,
        params: model.params,
        position: next.position,
        repeats: next.repeats,
        spent: next.spent,
        isRepeat: next.isRepeat,
        prompt: () => this.prompt(isRepair),
        timeoutMs: Math.min(this.task.timeoutMs ?? TURN_TIMEOUT_MS, TURN_TIMEOUT_MS),
        try: tries + 1,
        delayMs: next.delayMs,
        ...postponedBefore(error),
      };
      yield [ask];
    }
  }

  private prompt(isRepair: boolean): Prompt {
    const { instructions, output } = this.task;
    const schema = output && withoutFileKeyword(output.schema);
    const filesRule = this.files.length > 0 ? FILES_RULE : '';
    const system = (form: JsonObject | 'response format' | null): string =>
      systemPrompt(this.plan.definition.name, [instructions, this.sources.rule, filesRule], form);
    return {
      system: system(schema),
      messages: this.messages,
      tools: this.catalog.tools,
      mayCallTools: !isRepair,
      ...(schema && !structureMisfit(schema) && { structured: { schema, system: system('response format') } }),
    };
  }

  private checkBudget(): void {
    const { budget } = this.plan.definition.limits;
    if (!budget || budget.perRunMicros === null || this.plan.spentMicros() < budget.perRunMicros) return;
    exceedBudget(this.plan, this.task.place, this.failure('budget_exceeded', 'The run has used up its budget.').error);
  }

  private answerOf({ text, calls }: Turn): Answer {
    if (calls.length > 0) return { problem: 'The response contains tool calls, but must be a final answer.' };
    const problem = this.sources.problemOf(text);
    return problem === undefined ? readAnswer(text, this.task.output, this.plan.files) : { problem };
  }

  private cited(path: string, text: string, answer: JsonValue): JsonValue {
    const citations = this.sources.citedBy(text);
    if (citations.length > 0) {
      const summary = `The answer cites ${citations.length} passages.`;
      this.plan.note({
        type: 'reasoning',
        path: `${path}.citations`,
        state: 'succeeded',
        detail: { summary, citations },
      });
    }
    return answer;
  }

  private noteReasoning(path: string, { text, reasoning }: Turn): void {
    const summary = (text || reasoning).trim().slice(0, SUMMARY_CHARACTERS).toWellFormed();
    if (summary === '') return;
    this.plan.note({ type: 'reasoning', path: `${path}.reasoning`, state: 'succeeded', detail: { summary } });
  }

  private *callTools(turn: string, calls: readonly SaidCall[]): Progress<ToolMessage[]> {
    const results: ToolMessage[] = [];
    const places = calls.map((call, index) => ({ call, path: `${turn}.call[${index + 1}]` }));
    while (results.length < places.length) {
      const rest = places.slice(results.length);
      const reads = rest.findIndex(({ call }) => this.catalog.find(call.name)?.scope !== 'read');
      const group = rest.slice(0, Math.max(1, reads === -1 ? rest.length : reads));
      const tools = group.map(({ call, path }) => this.callTool(path, call));
      const branch = (index: number): Progress<ToolMessage> => tools[index]!;
      results.push(...(yield* concurrently(tools.length, branch, READS_AT_A_TIME)));
    }
    return results;
  }

  private *callTool(path: string, given: SaidCall): Progress<ToolMessage> {
    this.countCall();
    const operation = this.catalog.find(given.name);
    const said = { ...given, input: describedFiles(given.input, this.plan.files, true) };
    const problem = operation
      ? (argumentsProblem(operation, said.input) ?? requestProblem(operation, said.input, this.plan.files))
      : `There is no tool ${said.name}. Tools: ${this.catalog.tools.map(({ name }) => name).join(', ') || 'none'}.`;
    const message = (value: JsonObject): ToolMessage => ({ id: said.id, name: this.wireName(said.name), value });
    if (!operation || problem !== undefined || !isJsonObject(said.input)) {
      return message(this.refuse(path, said, operation, problem ?? 'The arguments must be an object.'));
    }
    const call = firstTry(operation, said.input, this.placeOf(path));
    const outcome = yield* outcomeOfCall(call, this.plan.definition.retry, this.plan.outcome);
    if (!outcome.ok && outcome.error.code === 'budget_exceeded')
      exceedBudget(this.plan, this.task.place, outcome.error);
    if (!outcome.ok && FATAL.has(outcome.error.code)) throw new StepFailure(outcome.error);
    const result = { ...this.resultFor(path, outcome), ...(wasMade(outcome) && this.changeOf(path, said.input)) };
    if (operation.fullName === KNOWLEDGE_SEARCH) this.sources.addRetrieved(result.result ?? null);
    return message(result);
  }

  private placeOf(path: string): CallPlace {
    const { stepId, steps } = this.task;
    return { path, stepId, timeoutMs: null, steps };
  }

  private countCall(): void {
    const { maxCalls } = this.task;
    this.calls += 1;
    if (maxCalls === null || this.calls <= maxCalls) return;
    throw this.failure('step_limit', `The step reached its limit of ${maxCalls} tool calls.`);
  }

  private refuse(path: string, said: SaidCall, operation: ToolOperation | undefined, problem: string): JsonObject {
    const error: CallError = { code: 'tool_error', message: problem, step: this.task.stepId, permanent: true };
    if (!this.plan.outcome(path)) {
      this.plan.note({
        path,
        type: 'tool_call',
        state: 'failed',
        tool: operation?.fullName ?? said.name.slice(0, 200),
        ...(operation && { scope: operation.scope, effect: operation.effect }),
        request: isJsonObject(said.input) ? said.input : { arguments: said.input },
        error,
        detail: { response_summary: problem },
      });
    }
    return errorMessage(error);
  }

  private resultFor(path: string, outcome: Outcome): JsonObject {
    const decision = this.plan.outcome(`${path}#approval`);
    const said = decision?.ok && isJsonObject(decision.output) ? decision.output : {};
    const comment: JsonObject = typeof said.comment === 'string' ? { comment: said.comment } : {};
    if (!outcome.ok) return errorMessage(outcome.error);
    if (outcome.refusal) return { ...errorMessage(outcome.refusal), ...comment };
    return { ...resultMessage(outcome.output), ...comment };
  }

  private changeOf(path: string, input: JsonObject): JsonObject {
    const request = this.plan.requestOf(path);
    if (!request || canonicalJson(request) === canonicalJson(input)) return {};
    const note = 'A person changed the arguments before the call was made. It was made with `executed_arguments`.';
    return { note, executed_arguments: request };
  }

  private wireName(said: string): string {
    const operation = this.catalog.find(said);
    return (operation && this.catalog.nameFor(operation)) ?? nameOf(said);
  }

  private failure(code: RunErrorCode, message: string): StepFailure {
    return new StepFailure({ code, message, step: this.task.stepId }, false);
  }
}

function wasMade(outcome: Outcome): boolean {
  return outcome.ok ? !outcome.refusal : !outcome.error.code.startsWith('approval_');
}

function errorMessage({ code, message }: CallError): JsonObject {
  return { error: { code, message } };
}

/** Fields that are missing or malformed become empty. */
function readTurn(output: JsonValue): Turn {
  const { text, reasoning, calls } = isJsonObject(output) ? output : {};
  return {
    text: typeof text === 'string' ? text : '',
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    calls: (Array.isArray(calls) ? calls : []).flatMap((call) =>
      isJsonObject(call) && typeof call.id === 'string' && typeof call.name === 'string'
        ? [{ id: call.id, name: call.name, input: inputOf(call) }]
        : [],
    ),
  };
}

function inputOf({ input = null, json }: JsonObject): JsonValue {
  return typeof json === 'string' ? (JSON.parse(json) as JsonValue) : input;
}
