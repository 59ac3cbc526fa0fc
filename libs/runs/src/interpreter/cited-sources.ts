import type { KnowledgeUse } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

const CITATION = /\[(doc_[0-9a-z]{26})#(\d{1,9})\]/g;

const RULE =
  'Cite the passages of knowledge bases that you rely on, right behind what you take from them, as [<document id>#<chunk>], for example [doc_01j00000000000000000000000#2].';
const REQUIRED = `${RULE} An answer without a citation is not accepted; if no passage says it, look it up.`;

/** The model may cite only these passages. */
export class CitedSources {
  private readonly given = new Map<string, JsonObject>();

  constructor(private readonly uses: readonly KnowledgeUse[]) {}

  /** Empty if no knowledge base of the conversation asks for citations. */
  get rule(): string {
    if (this.isRequired) return REQUIRED;
    return this.uses.some(({ citations }) => citations === 'optional') ? RULE : '';
  }

  addRetrieved(result: JsonValue): void {
    const passages = isJsonObject(result) && Array.isArray(result.passages) ? result.passages : [];
    for (const passage of passages) {
      if (!isJsonObject(passage) || !isJsonObject(passage.document)) continue;
      const { id, title, url, version } = passage.document;
      if (typeof id !== 'string' || typeof passage.chunk !== 'number') continue;
      const document = { id, title: title ?? null, url: url ?? null, version: version ?? null };
      this.given.set(`${id}#${passage.chunk}`, { document, chunk: passage.chunk });
    }
  }

  problemOf(text: string): string | undefined {
    if (this.uses.every(({ citations }) => citations === 'off')) return undefined;
    const cited = citationsIn(text);
    const invented = cited.find((name) => !this.given.has(name));
    if (invented !== undefined) return `It cites [${invented}], but no such passage was given.`;
    return this.isRequired && cited.length === 0 ? 'It must cite at least one passage.' : undefined;
  }

  /** Each passage is returned once. */
  citedBy(text: string): JsonObject[] {
    return citationsIn(text)
      .map((name) => this.given.get(name))
      .filter((passage) => passage !== undefined);
  }

  private get isRequired(): boolean {
    return this.uses.some(({ citations }) => citations === 'required');
  }
}

function citationsIn(text: string): string[] {
  return [...new Set([...text.matchAll(CITATION)].map(([, id = '', chunk = '']) => `${id}#${Number(chunk)}`))];
}
