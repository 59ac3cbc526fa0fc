import type { JsonObject, JsonValue } from '@app/kernel';
import { SigningKey } from '@app/platform/crypto';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Inject, Injectable } from '@nestjs/common';
import type { RecordedCallbackUrl } from '../interpreter/plan.js';

export interface CallbackPlace {
  runId: string;
  path: string;
}

const MAC_BYTES = 32;
const RUN_ID = /^run_[0-9a-z]{26}/;
const TOKEN_PURPOSE = 'callback-token';
const PLACEHOLDER_PURPOSE = 'callback-placeholder';

/**
 * Makes and verifies the tokens of callback URLs. A token consists of the run id, the path of the step and an HMAC of
 * both, so the database does not need to store it. Recorded requests contain a placeholder instead of the token. The
 * placeholder is the same in all runs of an agent, so a replay finds the recorded result of a request.
 *
 * The placeholder is also an HMAC, so an outsider cannot guess it. Otherwise, an outsider could write the placeholder
 * into the input of a run, and the service would replace it by the token.
 */
@Injectable()
export class CallbackAddressesService {
  constructor(
    private readonly key: SigningKey,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  tokenOf({ runId, path }: CallbackPlace): string {
    const place = Buffer.from(runId + path);
    return Buffer.concat([place, this.key.hmac(TOKEN_PURPOSE, place)]).toString('base64url');
  }

  placeOf(token: string): CallbackPlace | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.toString('base64url') !== token) return undefined;
    const [place, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
    if (!this.key.verify(TOKEN_PURPOSE, place, mac)) return undefined;
    const text = place.toString();
    const [runId = ''] = RUN_ID.exec(text) ?? [];
    return { runId, path: text.slice(runId.length) };
  }

  urlOf(place: CallbackPlace): string {
    return this.urlWith(this.tokenOf(place));
  }

  /** It contains the placeholder instead of the token. */
  recordedUrl(agentId: string, path: string): RecordedCallbackUrl {
    const mac = this.key.hmac(PLACEHOLDER_PURPOSE, `${agentId}/${path}`).subarray(0, MAC_BYTES / 2);
    const placeholder = `redacted-${mac.toString('base64url')}`;
    return { path, placeholder, url: this.urlWith(placeholder) };
  }

  /** Also returns the tokens, which the caller must redact. */
  revealed(
    runId: string,
    callbacks: readonly RecordedCallbackUrl[],
    request: JsonObject,
  ): { request: JsonObject; tokens: string[] } {
    const tokens = callbacks.map(({ path }) => this.tokenOf({ runId, path }));
    const reveal = (text: string): string =>
      callbacks.reduce((left, { placeholder }, index) => left.replaceAll(placeholder, tokens[index] ?? ''), text);
    return { request: mapTexts(request, reveal), tokens };
  }

  private urlWith(token: string): string {
    return `${this.address.publicUrl}/v1/callbacks/${token}`;
  }
}

function mapTexts(object: JsonObject, change: (text: string) => string): JsonObject {
  const mapped = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(mapped);
    return typeof value === 'object' && value !== null ? mapTexts(value, change) : value;
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [change(key), mapped(value)]));
}
