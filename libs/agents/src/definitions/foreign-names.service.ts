import type { DefinitionWarning, Mentions } from '@app/definition';
import type { ErrorPlace } from '@app/kernel';
import { Injectable } from '@nestjs/common';

type Kind = 'knowledge' | 'fixtures';
/** Returns those of the names that the workspace does not have. */
type LookUp = (workspaceId: string, names: readonly string[]) => Promise<ReadonlySet<string>>;

interface NamedPlace {
  name: string;
  place: () => Omit<ErrorPlace, 'detail'>;
}

const WORDS: Readonly<Record<Kind, (name: string) => { detail: string; suggestion: string }>> = {
  knowledge: (name) => ({
    detail: `There is no knowledge base ${JSON.stringify(name)}, so retrievals from it are denied.`,
    suggestion: 'Create it with POST /v1/knowledge-bases, then grant it to the agent.',
  }),
  fixtures: (name) => ({
    detail: `There is no fixture \`${name}\`, so the version cannot be evaluated.`,
    suggestion: `Put the file into \`fixtures/\` beside \`aas.yaml\` and run \`aas apply\`, or send it with PUT /v1/fixtures/${name}.`,
  }),
};

/** This lib does not depend on the libs that have these things, so other modules register the functions that look them up. */
@Injectable()
export class ForeignNamesService {
  private readonly lookUps = new Map<Kind, LookUp>();

  lookUpWith(kind: Kind, lookUp: LookUp): void {
    this.lookUps.set(kind, lookUp);
  }

  async warnings(workspaceId: string, { knowledge, fixtures }: Pick<Mentions, Kind>): Promise<DefinitionWarning[]> {
    const bases = knowledge.map(({ base: name, place }) => ({ name, place }));
    const files = fixtures.map(({ fixture: name, place }) => ({ name, place }));
    return [
      ...(await this.missing(workspaceId, 'knowledge', bases)),
      ...(await this.missing(workspaceId, 'fixtures', files)),
    ];
  }

  private async missing(
    workspaceId: string,
    kind: Kind,
    mentions: readonly NamedPlace[],
  ): Promise<DefinitionWarning[]> {
    const lookUp = this.lookUps.get(kind);
    const names = [...new Set(mentions.map(({ name }) => name))];
    if (!lookUp || names.length === 0) return [];
    const missing = await lookUp(workspaceId, names);
    return mentions
      .filter(({ name }) => missing.has(name))
      .map(({ name, place }) => ({ ...place(), ...WORDS[kind](name) }));
  }
}
