import type { ModelChoice } from '@app/definition';
import { Clock, DomainError, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { egressFetch, type EgressClient, MODEL_EGRESS } from '@app/platform/egress';
import { type ModelProvider, type ModelsConfig, modelsConfig, UNKNOWN_MODEL } from '@app/platform/models';
import { SecretRedaction } from '@app/platform/observability';
import { AuditLogService, type Principal, WorkspaceStore } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import type { Prompt } from '../interpreter/prompt.js';
import type { TurnCost } from '../records/run-commands.js';
import { askModel } from './model-turns.service.js';
import type { StreamedTurn } from './turn-call.js';
import { costDetail, turnCost, UNKNOWN_USAGE } from './turn-cost.js';
import { turnFailure } from './turn-failure.js';
import { WatchedFetch } from './watched-fetch.js';

/** It is shorter than the time that clients of the API usually wait for a response. */
const CHECK_MILLIS = 50_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

const WORD_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['word'],
  properties: { word: { type: 'string' } },
};
const CALL: Prompt = {
  system: 'This is a test of the connection.',
  messages: [{ role: 'user', text: 'Call the tool `echo` once, with the word `ready`.' }],
  tools: [{ name: 'echo', description: 'Returns the word.', schema: WORD_SCHEMA }],
  mayCallTools: true,
};
const ANSWER: Prompt = {
  system: CALL.system,
  messages: [{ role: 'user', text: 'Answer with the word `ready`.' }],
  tools: [],
  mayCallTools: true,
  answerSchema: WORD_SCHEMA,
};

export interface ModelCheckError {
  code: string;
  message: string;
}

export interface ModelCheck {
  model: ModelChoice;
  latencyMs: number;
  tools: boolean;
  /** Null if it was not asked to. */
  structuredOutput: boolean | null;
  cost: TurnCost;
  error: ModelCheckError | null;
}

interface Answered {
  turn?: StreamedTurn;
  cost: TurnCost;
  error?: ModelCheckError;
}

/** A check belongs to no run. */
@Injectable()
export class ModelChecksService {
  constructor(
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
    @Inject(MODEL_EGRESS) private readonly egress: EgressClient,
    private readonly workspaces: WorkspaceStore,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `unknown_reference` for an unknown profile, and `workspace_stopped` */
  async check(actor: Principal, model: ModelChoice): Promise<ModelCheck> {
    const profile = this.config.modelProviders.get(model.provider);
    if (!profile) throw unknownProfile(model.provider, [...this.config.modelProviders.keys()]);
    if (await this.isStopped(actor)) throw stopped();
    const check = await this.ask(actor, profile, model);
    const { cost, usage } = costDetail(check.cost);
    const detail = { ok: check.error === null, usage: usage ?? null, cost: cost ?? null };
    const target = `${model.provider}/${model.name}`;
    await this.transactions.run((transaction) =>
      this.audit.record(actor, { action: 'model.check', target, detail }, transaction),
    );
    return check;
  }

  private async ask(actor: Principal, profile: ModelProvider, model: ModelChoice): Promise<ModelCheck> {
    const { structuredOutput } = profile.models.get(model.name) ?? UNKNOWN_MODEL;
    const signal = AbortSignal.timeout(CHECK_MILLIS);
    const begin = this.clock.monotonicMillis();
    const first = await this.send(profile, model, CALL, signal);
    const latencyMs = Math.round(this.clock.monotonicMillis() - begin);
    const asksTwice = structuredOutput && !first.error && !(await this.isStopped(actor));
    const second = asksTwice ? await this.send(profile, model, ANSWER, signal) : undefined;
    return {
      model,
      latencyMs,
      tools: first.turn?.calls.some(({ name }) => name === 'echo') ?? false,
      structuredOutput: second ? hasForm(second.turn) : null,
      cost: second ? sumOf(first.cost, second.cost) : first.cost,
      error: first.error ?? second?.error ?? null,
    };
  }

  private async send(
    profile: ModelProvider,
    model: ModelChoice,
    prompt: Prompt,
    signal: AbortSignal,
  ): Promise<Answered> {
    const gate = { wasSent: false };
    const onBeforeSend = (): boolean => (gate.wasSent = true);
    const limits = { timeoutMs: CHECK_MILLIS, headersTimeoutMs: CHECK_MILLIS, maxResponseBytes: MAX_ANSWER_BYTES };
    const network = new WatchedFetch(egressFetch(this.egress, { ...limits, onBeforeSend }), profile);
    const price = profile.prices.get(model.name);
    try {
      const asked = { provider: profile, name: model.name, fetch: network.fetch };
      const turn = await askModel(asked, { params: {}, signal }, prompt, () => undefined);
      const isRefused = network.isRefused || turn.finish === 'content-filter';
      const error = isRefused ? 'refused to answer' : isEmpty(turn) ? 'sent an empty answer' : undefined;
      const cost = turnCost(model, price, turn.usage);
      return { turn, cost, ...(error && { error: providerError(`${profile.name} ${error}.`) }) };
    } catch (thrown) {
      const failure = turnFailure(profile.name, network.failure ?? thrown, this.clock.now().getTime());
      const isOver = signal.aborted;
      const mayCost = gate.wasSent && (isOver || failure.unanswered === true);
      const cost = turnCost(model, price, mayCost ? UNKNOWN_USAGE : { ...UNKNOWN_USAGE, input: 0, output: 0 });
      const message = new SecretRedaction(profile.secrets).text(failure.message);
      const error = isOver
        ? { code: 'timeout', message: `${profile.name} did not respond within ${CHECK_MILLIS / 1_000} seconds.` }
        : { code: failure.code, message };
      return { cost: { ...cost, partial: mayCost }, error };
    }
  }

  private async isStopped({ workspaceId }: Principal): Promise<boolean> {
    return (await this.workspaces.get(workspaceId)).state === 'stopped';
  }
}

function providerError(message: string): ModelCheckError {
  return { code: 'provider_error', message };
}

function isEmpty({ text, calls }: StreamedTurn): boolean {
  return calls.length === 0 && text.trim() === '';
}

function hasForm(turn: StreamedTurn | undefined): boolean {
  try {
    const answer = JSON.parse(turn?.text ?? '') as JsonValue;
    return isJsonObject(answer) && typeof answer.word === 'string' && Object.keys(answer).length === 1;
  } catch {
    return false;
  }
}

function sumOf(one: TurnCost, other: TurnCost): TurnCost {
  return {
    ...one,
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    reasoning: one.reasoning + other.reasoning,
    micros: one.micros + other.micros,
    partial: one.partial || other.partial,
  };
}

function unknownProfile(provider: string, names: readonly string[]): DomainError {
  const detail = `This installation has no model provider ${JSON.stringify(provider)}. Providers: ${names.join(', ') || 'none'}.`;
  return new DomainError('unknown_reference', detail, { errors: [{ pointer: '/provider', detail }] });
}

function stopped(): DomainError {
  return new DomainError(
    'workspace_stopped',
    'The workspace is stopped. Check the model after an admin has resumed it.',
  );
}
