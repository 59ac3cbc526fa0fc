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

/** What is asked for when a run is started. */
export interface StartRun {
  workspaceId: string;
  agentId: string;
  /** Who starts it: a member through one of their keys. */
  initiator: { email: string; keyKind: 'live' | 'test' };
  input: JsonObject;
  /** Default: production for live keys, test for test keys. */
  mode?: RunMode;
  /** Default: the production version. */
  version?: number;
  idempotency?: { endpoint: string; key: string; fingerprint: Buffer };
  /** What started it: `{type, …}`. Default: a request, `{type: 'api'}`. */
  trigger?: JsonObject;
  /** Set where it repeats another run. */
  replay?: Replay;
}

const BY_REQUEST: JsonObject = { type: 'api' };
/** Characters of a concurrency key that is kept as it is: it is part of an index, whose rows Postgres bounds. */
const LONGEST_KEY = 256;

/** A request as far as the run remembers it; nobody in person starts what a trigger starts. */
type RunRequest = Omit<StartRun, 'initiator' | 'mode'> & { initiator: { email: string } | null };

/** What a run will be once it is accepted: what was asked for, together with what the version of the agent says. */
@Injectable()
export class NewRunsService {
  constructor(
    private readonly privacies: RunPrivaciesService,
    private readonly budgets: DayBudgetsService,
    private readonly shares: FairShares,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
  ) {}

  /**
   * The same for whoever can be told to come back later; runs that nobody waits for fail at their first turn instead.
   * @throws DomainError as `prepare`, and `budget_exceeded` when nothing is left of the day's
   */
  async prepareWithinBudget(request: RunRequest, about: Parameters<NewRunsService['prepare']>[1]): Promise<Creation> {
    await this.budgets.admit(request, about.definition.limits.budget);
    return this.prepare(request, about);
  }

  /**
   * The run as it is to be stored: what the definition wants redacted is sealed.
   * @throws DomainError `input_invalid` (the concurrency key cannot be computed)
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
      // The type of the trigger is asked for by filters, and never a secret.
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

/** What the run is accounted in: what its budget is in, else what its model is priced in, else what the installation uses. */
function runCurrency({ limits, model }: CompiledDefinition, { modelProviders, currency }: ModelsConfig): string {
  const price = model && modelProviders.get(model.provider)?.prices.get(model.name);
  return limits.budget?.currency ?? price?.currency ?? currency;
}

/** Equal keys have equal digests, and a digest tells nothing about what is redacted. */
function withDigest({ concurrency, ...rules }: QueueRules): QueueRules {
  if (!concurrency?.key) return { ...rules, concurrency };
  return { ...rules, concurrency: { ...concurrency, key: digestOf(concurrency.key) } };
}

/** What the key of a run can be made of. */
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

/** Runs with equal keys share `max_per_key`. */
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
