import type { OauthProvider } from '@app/connections';
import { DocumentError } from '@app/platform/extraction';
import { SecretRedaction } from '@app/platform/observability';
import { type Connector, type ItemBatch, SourceError, type SourceVisit } from '../contract/connector.js';
import type { IncomingDocument, ItemReading, Reason, SourceItem } from '../contract/items.js';
import type { AccessTokens } from '../contract/ports.js';

/**
 * Removes the credentials of a source from all that its connector yields and reports, because a server may return the
 * credentials that it receives. Documents are only searched for the credentials of this source: other texts that look
 * like a credential are content. Checkpoints and the addresses of pages stay as they are. The API shows neither.
 */
export class RedactedConnector implements Connector {
  readonly parallelism: number;
  readonly isAuthoritative: boolean;
  private readonly redaction: SecretRedaction;
  private readonly known: Set<string>;

  constructor(
    private readonly connector: Connector,
    secrets: Iterable<string>,
  ) {
    this.parallelism = connector.parallelism;
    this.isAuthoritative = connector.isAuthoritative;
    this.known = new Set([...secrets].flatMap((secret) => [secret, ...passwordsOf(secret)]));
    this.redaction = new SecretRedaction(this.known);
  }

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const redacted: SourceVisit = {
      ...visit,
      tokens: this.noted(visit.tokens),
      reportIncomplete: (reason) => visit.reportIncomplete(this.reason(reason)),
    };
    try {
      for await (const batch of this.connector.enumerate(redacted)) yield this.batch(batch);
    } catch (error) {
      throw this.error(error);
    }
  }

  private noted(tokens: AccessTokens): AccessTokens {
    const note = (token: string): string => {
      if (!this.known.has(token)) this.redaction.add(token);
      this.known.add(token);
      return token;
    };
    return {
      accessToken: async (provider: OauthProvider) => note(await tokens.accessToken(provider)),
      renewToken: async (provider: OauthProvider, refused: string) => note(await tokens.renewToken(provider, refused)),
      rejectRevoked: (provider: OauthProvider, why: string) => tokens.rejectRevoked(provider, why),
    };
  }

  private batch({ items, skipped, ...batch }: ItemBatch): ItemBatch {
    return {
      ...batch,
      items: items.map((item) => this.item(item)),
      ...(skipped && {
        skipped: skipped.map(({ key, ...reason }) => ({ key: this.redaction.given(key), ...this.reason(reason) })),
      }),
    };
  }

  private item(item: SourceItem): SourceItem {
    return {
      ...item,
      key: this.redaction.given(item.key),
      readItem: async (known) => {
        try {
          return this.reading(await item.readItem(known));
        } catch (error) {
          throw this.error(error);
        }
      },
    };
  }

  private reading(reading: ItemReading): ItemReading {
    if (reading.kind === 'document') return { ...reading, document: this.document(reading.document) };
    if (reading.kind === 'absent' && reading.failure) return { ...reading, failure: this.reason(reading.failure) };
    return reading;
  }

  private document(document: IncomingDocument): IncomingDocument {
    const { key, title, url, text } = document;
    return {
      ...document,
      key: this.redaction.given(key),
      title: this.redaction.given(title),
      url: url === null ? null : this.redaction.given(url),
      text: this.redaction.given(text),
    };
  }

  private reason({ code, message }: Reason): Reason {
    return { code, message: this.redaction.text(message) };
  }

  private error(error: unknown): unknown {
    if (!(error instanceof SourceError || error instanceof DocumentError)) return error;
    const Kind = error instanceof SourceError ? SourceError : DocumentError;
    return new Kind(error.code, this.redaction.text(error.message), { cause: error });
  }
}

function passwordsOf(secret: string): string[] {
  if (!URL.canParse(secret)) return [];
  const { password } = new URL(secret);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
