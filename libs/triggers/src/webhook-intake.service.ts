import { CompiledVersionsService, invalidWebhookSecret } from '@app/agents';
import type { CompiledDefinition } from '@app/definition';
import {
  canonicalJson,
  Clock,
  DomainError,
  isJsonObject,
  type JsonValue,
  newId,
  ReadCache,
  parameterPlace,
} from '@app/kernel';
import type { FileEntity } from '@app/files';
import { sha256 } from '@app/platform/crypto';
import { afterEqualRequest, type IdempotencyConfig, idempotencyConfig } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { eventRefusal, stoppedDelivery } from './event-refusal.js';
import type { EventRule } from './trigger-decision.js';
import { type EventOutcome, TriggerIntakeService } from './trigger-intake.service.js';
import { type EventIdentity, TriggerEventStore } from './trigger-event.store.js';
import { isSatisfied, type SatisfiedTrigger, webhooks } from './webhook-senders.service.js';

/** A repeated delivery has the same id. */
export interface DeliveryName {
  kind:
    | 'idempotency-key'
    | 'webhook-id'
    | 'github-delivery'
    | 'slack-event'
    | 'stripe-event'
    | 'shopify-webhook'
    | 'linear-delivery'
    | 'gitlab-event'
    | 'twilio-token'
    | 'sns-message'
    | 'cloudevent';
  value: string;
}

/**
 * `secretHash`: the caller may call every trigger. `satisfied`: the triggers that the caller may call, because it is a
 * sender with its own secret.
 */
export type WebhookCaller = { secretHash: Buffer } | { satisfied: readonly SatisfiedTrigger[] };

export interface WebhookDelivery {
  workspaceId: string;
  agentId: string;
  caller: WebhookCaller;
  /** A body that is no object reaches only the triggers with a `map`, which computes an input from it. */
  body: JsonValue;
  /** The files of a form, by id. */
  files: ReadonlyMap<string, FileEntity>;
  /** The body as repeated deliveries are compared with it. */
  comparable: JsonValue;
  /** Id of the called trigger. If absent, the first webhook trigger whose filter is true handles the delivery. */
  trigger?: string | undefined;
  name?: DeliveryName | undefined;
}

export type WebhookAnswer =
  { status: 'queued'; runId: string; duplicate: boolean } | { status: 'filtered'; reason: string; duplicate: boolean };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** All known senders stop repeating a delivery earlier. */
const KEEP_DELIVERY_MILLIS = 168 * HOUR;

@Injectable()
export class WebhookIntakeService {
  private readonly logged: ReadCache<{ logged: true }>;

  constructor(
    private readonly triggers: TriggerIntakeService,
    private readonly versions: CompiledVersionsService,
    private readonly events: TriggerEventStore,
    @Inject(idempotencyConfig.KEY) private readonly config: IdempotencyConfig,
    clock: Clock,
  ) {
    this.logged = new ReadCache({ limit: 10_000, maxAgeMillis: MINUTE, clock });
  }

  /**
   * @throws DomainError `input_invalid`, `agent_paused`, `agent_archived`, `idempotency_key_reused`,
   * `idempotency_in_progress`, `rate_limited`, `invalid_webhook_secret` (the secret was replaced meanwhile),
   * `invalid_request` (no such trigger, or the body is an array and no trigger has a `map`), `unsupported_media_type`
   * (the body is a text and no trigger has a `map`), and `workspace_stopped` with the kind `unavailable`
   */
  async receive(delivery: WebhookDelivery): Promise<WebhookAnswer> {
    const { workspaceId, agentId, caller, body, files } = delivery;
    const taken = this.triggers.take({
      workspaceId,
      agentId,
      ...('secretHash' in caller && { secretHash: caller.secretHash }),
      rulesOf: (definition) => takersOf(body, rulesFor(definition, delivery)),
      identity: identityOf(delivery, this.config.idempotencyMillis),
      scope: { body },
      input: body,
      facts: {},
      arrived: { files, added: ['file'] },
    });
    const hasKey = delivery.name?.kind === 'idempotency-key';
    return answerTo(await (hasKey ? afterEqualRequest('trigger_receipts', taken) : taken), delivery);
  }

  async turnedAway({
    workspaceId,
    agentId,
    trigger,
  }: Pick<WebhookDelivery, 'workspaceId' | 'agentId' | 'trigger'>): Promise<void> {
    await this.logged.get(agentId, async () => {
      const { definition } = await this.versions.production(workspaceId, agentId);
      const [rule = IMPLICIT] = webhookRules(definition, trigger);
      const entry = { id: newId('event'), workspaceId, agentId, triggerId: rule.id, type: rule.type };
      await this.events.log(entry, 'rate_limited', 'The webhook was called too often.');
      return { logged: true };
    });
  }
}

const IMPLICIT: EventRule = { id: 'webhook', type: 'webhook', filter: null, map: null };

function rulesFor(definition: CompiledDefinition, { caller, trigger }: WebhookDelivery): EventRule[] {
  const rules = webhookRules(definition, trigger);
  if ('secretHash' in caller) return rules;
  const reached = webhooks(definition).filter((each) => isSatisfied(each, caller.satisfied));
  return rules.filter(({ id }) => reached.some((each) => each.id === id));
}

function webhookRules(definition: CompiledDefinition, wanted: string | undefined): EventRule[] {
  const declared = webhooks(definition).map(({ id, filter, map }): EventRule => ({ id, type: 'webhook', filter, map }));
  const rules = declared.length > 0 ? declared : [IMPLICIT];
  return wanted === undefined ? rules : rules.filter(({ id }) => id === wanted);
}

/** The input of a run is an object. A rule without a `map` therefore takes only objects. */
function takersOf(body: JsonValue, rules: readonly EventRule[]): readonly EventRule[] {
  if (isJsonObject(body)) return rules;
  const takers = rules.filter(({ map }) => map !== null);
  if (takers.length > 0 || rules.length === 0) return takers;
  const remedy = 'Send a JSON object, or give the webhook trigger a `map` that makes an input of `body`.';
  if (typeof body === 'string') throw new DomainError('unsupported_media_type', `The body is a text. ${remedy}`);
  throw new DomainError('invalid_request', `The body is an array. ${remedy}`);
}

/** Returns null if the sender gave the delivery no id. A repeated delivery is then not recognised. */
function identityOf(
  { name, trigger, caller, comparable }: WebhookDelivery,
  idempotencyMillis: number,
): EventIdentity | null {
  if (!name) return null;
  // The ids of a sender with its own secret are kept apart from other ids. Such a sender can therefore neither block
  // the ids of other callers nor learn their runs.
  const sender = 'satisfied' in caller ? `${senderOf(caller.satisfied)}:` : '';
  return {
    // The key contains the id of the called trigger, because a new version may change which trigger handles the
    // delivery.
    key: `webhook:${trigger ?? ''}:${sender}${name.kind}:${name.value}`,
    fingerprint: name.kind === 'idempotency-key' ? sha256(canonicalJson(comparable)) : null,
    keepMillis: name.kind === 'idempotency-key' ? idempotencyMillis : KEEP_DELIVERY_MILLIS,
  };
}

function senderOf(satisfied: readonly SatisfiedTrigger[]): string {
  return [...new Set(satisfied.map(({ auth }) => `${auth.scheme}/${auth.secret}`))].sort().join('+');
}

function answerTo(outcome: EventOutcome, { trigger, caller }: WebhookDelivery): WebhookAnswer {
  switch (outcome.outcome) {
    case 'started':
      return { status: 'queued', runId: outcome.run.id, duplicate: false };
    case 'duplicate':
      if (outcome.runId !== null) return { status: 'queued', runId: outcome.runId, duplicate: true };
      return {
        status: 'filtered',
        reason: 'This delivery was filtered when it first arrived, so it starts no run.',
        duplicate: true,
      };
    case 'filtered':
      return { status: 'filtered', reason: outcome.reason, duplicate: false };
    case 'unknown': {
      if ('satisfied' in caller) throw invalidWebhookSecret();
      const detail = `The agent has no webhook trigger ${JSON.stringify(trigger ?? '')}.`;
      throw new DomainError('invalid_request', detail, { errors: [parameterPlace('trigger', detail)] });
    }
    case 'stopped':
      throw stoppedDelivery();
    default:
      throw eventRefusal(outcome);
  }
}
