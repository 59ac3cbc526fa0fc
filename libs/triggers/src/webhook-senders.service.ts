import { isDeepStrictEqual } from 'node:util';
import { CompiledVersionsService } from '@app/agents';
import type { CompiledDefinition, WebhookAuth, WebhookTrigger } from '@app/definition';
import { Clock } from '@app/kernel';
import { constantTimeEqual } from '@app/platform/crypto';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { SecretsService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { fitsAuth, needsBody, type SignedCall } from './webhook-schemes.js';

export interface SatisfiedTrigger {
  id: string;
  auth: WebhookAuth;
}

export interface CalledWebhook {
  workspaceId: string;
  agentId: string;
  trigger?: string | undefined;
}

/** They reach only the triggers whose `auth` they satisfy. */
@Injectable()
export class WebhookSendersService {
  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly secrets: SecretsService,
    private readonly clock: Clock,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /** The check of such an `auth` needs the body. */
  async areDeclared(called: CalledWebhook): Promise<boolean> {
    if ((await this.declared(called)).length > 0) return true;
    this.versions.invalidateProduction(called.workspaceId, called.agentId);
    return (await this.declared(called)).length > 0;
  }

  async satisfied(called: CalledWebhook, call: SignedCall): Promise<SatisfiedTrigger[]> {
    const satisfied = await this.satisfiedNow(called, call);
    if (satisfied.length > 0) return satisfied;
    this.versions.invalidateProduction(called.workspaceId, called.agentId);
    return this.satisfiedNow(called, call);
  }

  /** Returns the triggers whose `auth` the headers satisfy. For bodies that are too large to be read before. */
  async provenByHeaders(called: CalledWebhook, call: Omit<SignedCall, 'body'>): Promise<SatisfiedTrigger[]> {
    const satisfied = await this.satisfied(called, { ...call, body: Buffer.alloc(0) });
    return satisfied.filter(({ auth }) => !needsBody(auth));
  }

  async isVerifyToken(called: CalledWebhook, token: string): Promise<boolean> {
    const names = (await this.declared(called)).flatMap(({ auth }) => (auth.scheme === 'meta' ? auth.verifyToken : []));
    const values = await this.secrets.values(called.workspaceId, names);
    return [...values.values()].filter((value) => constantTimeEqual(value, token)).length > 0;
  }

  private async satisfiedNow(called: CalledWebhook, call: SignedCall): Promise<SatisfiedTrigger[]> {
    const declared = await this.declared(called);
    const names = declared.map(({ auth }) => auth.secret);
    const values = await this.secrets.values(called.workspaceId, [...new Set(names)]);
    const at = { now: this.clock.now(), publicUrl: this.address.publicUrl };
    return declared.filter(({ auth }) => {
      const secret = values.get(auth.secret);
      return secret !== undefined && fitsAuth(auth, secret, call, at);
    });
  }

  private async declared({ workspaceId, agentId, trigger }: CalledWebhook): Promise<SatisfiedTrigger[]> {
    const { definition } = await this.versions.production(workspaceId, agentId);
    return webhooks(definition)
      .filter(({ id }) => trigger === undefined || id === trigger)
      .flatMap(({ id, auth }) => (auth ? [{ id, auth }] : []));
  }
}

export function webhooks({ triggers }: CompiledDefinition): WebhookTrigger[] {
  return triggers.filter((trigger) => trigger.kind === 'webhook');
}

/** Returns whether the call satisfied the `auth` of this trigger, and the trigger still has the same `auth`. */
export function isSatisfied({ id, auth }: WebhookTrigger, satisfied: readonly SatisfiedTrigger[]): boolean {
  return satisfied.some((one) => one.id === id && isDeepStrictEqual(one.auth, auth));
}
