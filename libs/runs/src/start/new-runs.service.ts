import { type CompiledDefinition, type ConcurrencyRule, ExpressionError } from '@app/definition';
import { canonicalJson, DomainError, type JsonObject } from '@app/kernel';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { sha256 } from '@app/platform/crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DayBudgetsService } from '../calls/day-budgets.service.js';
import type { RunContext } from '../interpreter/step-scope.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import type { Creation, QueueRules, Replay } from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';
import { FairShares } from './fair-shares.js';

export interface StartRun {
  workspaceId: string;
  agentId: string;
  /** The member who starts the run, through an API key. */
  initiator: { email: string; keyKind: 'live' | 'test' };
  input: JsonObject;
  /** Default: production for live keys, test for test keys. */
  mode?: RunMode;
  /** Default: the production version. */
  version?: number;
  idempotency?: { endpoint: string; key: string; fingerprint: Buffer };
  /** The trigger of the run: `{type, …}`. Default: `{type: 'api'}`. */
  trigger?: JsonObject;
  /** Set if the run repeats another run. */
  replay?: Replay;
}

const BY_REQUEST: JsonObject = { type: 'api' };
/** Longer concurrency keys are stored as a digest, because Postgres limits the size of index rows. */
const LONGEST_KEY = 256;

/** The part of a request that the run stores. Runs that a trigger starts have no initiator. */
type RunRequest = Omit<StartRun, 'initiator' | 'mode'> & { initiator: { email: string } | null };

@Injectable()
export class NewRunsService {
  constructor(
    private readonly privacies: RunPrivaciesService,
    private readonly budgets: DayBudgetsService,
    private readonly shares: FairShares,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
  ) {}

  /**
   * Prepares a run and checks the daily budget, for callers that can retry later. Other runs fail at their first turn
   * instead.
   * @throws DomainError as {@link prepare}, and `budget_exceeded` if the budget of the day is used up
   */
  async prepareWithinBudget(request: RunRequest, about: Parameters<NewRunsService['prepare']>[1]): Promise<Creation> {
    await this.budgets.admit(request, about.definition.limits.budget);
    return this.prepare(request, about);
  }

  /**
   * Prepares the run in its stored form, with redacted values sealed.
   * @throws DomainError `input_invalid` if the concurrency key cannot be computed
   */
  prepare(
    request: RunRequest,
    { id, mode, version, definition }: { id: string; mode: RunMode; version: number; definition: CompiledDefinition },
  ): Creation {
    const { workspaceId, agentId, initiator, idempotency = null, trigger = BY_REQUEST, replay } = request;
    const privacy = this.privacies.of(request, definition);
    const input = privacy.sealedObject(request.input, ['input']);
    const { type = null } = trigger;
    const headStartMs = this.shares.headStart(workspaceId);
    const agent = { id: agentId, name: definition.name, version };
    const rules = { headStartMs, ...queueRules(definition, { input: request.input, trigger, agent }) };
    return {
      id,
      workspaceId,
      agentId,
      version,
      pinned: request.version !== undefined,
      mode,
      // Filters use the type of the trigger, so it is never sealed.
      trigger: { ...privacy.sealedObject(trigger, ['trigger']), type },
      input,
      labels: { ...definition.labels },
      initiator: initiator?.email ?? null,
      currency: runCurrency(definition, this.config),
      idempotency,
      rules: privacy.redactsNothing ? rules : withDigest(rules),
      replayOf: replay?.of ?? null,
      ...(replay && { replay }),
    };
  }
}

/** The currency of the run's budget, else of its model's price, else of the installation. */
function runCurrency({ limits, model }: CompiledDefinition, { modelProviders, currency }: ModelsConfig): string {
  const price = model && modelProviders.get(model.provider)?.prices.get(model.name);
  return limits.budget?.currency ?? price?.currency ?? currency;
}

/** Replaces the concurrency key by its digest: equal keys match, and redacted values are not revealed. */
function withDigest({ concurrency, ...rules }: QueueRules): QueueRules {
  if (!concurrency?.key) return { ...rules, concurrency };
  return { ...rules, concurrency: { ...concurrency, key: digestOf(concurrency.key) } };
}

type QueueFacts = Pick<RunContext, 'input' | 'trigger' | 'agent'>;

function queueRules({ limits, concurrency }: CompiledDefinition, facts: QueueFacts): QueueRules {
  const { queueTtlMs } = limits;
  if (!concurrency) return { queueTtlMs, concurrency: null };
  const { max, maxPerKey, onConflict } = concurrency;
  return {
    queueTtlMs,
    concurrency: {
      max,
      maxPerKey,
      key: concurrencyKey(concurrency, facts),
      rejectConflict: onConflict === 'reject',
    },
  };
}

const digestOf = (key: string): string => `sha256:${sha256(key).toString('hex')}`;

function concurrencyKey({ key }: ConcurrencyRule, facts: QueueFacts): string | null {
  if (!key) return null;
  try {
    const text = canonicalJson(key.evaluate(facts));
    return text.length > LONGEST_KEY ? digestOf(text) : text;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new DomainError(
      'input_invalid',
      `The agent's concurrency key cannot be computed from this input: ${error.message}`,
      { cause: error },
    );
  }
}
