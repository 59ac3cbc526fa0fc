import { FileLinksService } from '@app/files';
import type { JsonValue } from '@app/kernel';
import { SigningKey } from '@app/platform/crypto';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import { Inject, Injectable } from '@nestjs/common';

const TOKEN_PURPOSE = 'file link token';
const PLACEHOLDER_PURPOSE = 'file link placeholder';
const MAC_CHARS = 22;
const PLACEHOLDER = new RegExp(`\\[redacted\\]~([A-Za-z0-9_-]+)~([A-Za-z0-9_-]{${MAC_CHARS}})`, 'g');

/**
 * The tokens of links that runs create. A run records a placeholder instead of the token: it opens nothing, and only the
 * requests of tool calls of the same workspace get the token in its place. A token is an HMAC of the key of its call, so
 * a repeated call has the same one, and nothing needs to store it.
 */
@Injectable()
export class FileLinkTokensService {
  constructor(
    private readonly links: FileLinksService,
    private readonly key: SigningKey,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  /**
   * Creates the link of a call. If it exists, it expires at the new time. The caller has proven that it may use the file.
   * @returns its URL as the run records it
   */
  async create(workspaceId: string, call: string, fileId: string, expiresAt: Date): Promise<string> {
    await this.links.ensure(workspaceId, fileId, this.tokenOf(workspaceId, call), expiresAt);
    return this.urlOf(`[redacted]~${Buffer.from(call).toString('base64url')}~${this.macOf(workspaceId, call)}`);
  }

  urlOf(token: string): string {
    return `${this.address.publicUrl}/files/${token}`;
  }

  /** Puts the tokens in place of the placeholders. The caller must redact the returned tokens in results. */
  revealed<Value extends JsonValue>(workspaceId: string, value: Value): { value: Value; tokens: string[] } {
    const tokens = new Set<string>();
    const reveal = (text: string): string =>
      text.replace(PLACEHOLDER, (placeholder: string, encoded: string, mac: string) => {
        const call = Buffer.from(encoded, 'base64url').toString();
        if (mac !== this.macOf(workspaceId, call)) return placeholder;
        const token = this.tokenOf(workspaceId, call);
        tokens.add(token);
        return token;
      });
    const revealed = JSON.stringify(value).includes('[redacted]~') ? withTexts(value, reveal) : value;
    return { value: revealed, tokens: [...tokens] };
  }

  private tokenOf(workspaceId: string, call: string): string {
    return this.key.hmac(TOKEN_PURPOSE, `${workspaceId}/${call}`).toString('base64url');
  }

  private macOf(workspaceId: string, call: string): string {
    return this.key.hmac(PLACEHOLDER_PURPOSE, `${workspaceId}/${call}`).toString('base64url').slice(0, MAC_CHARS);
  }
}

function withTexts<Value extends JsonValue>(value: Value, change: (text: string) => string): Value;
function withTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withTexts(member, change)]));
}
