import type { DefinitionWarning, FixtureMention } from '@app/definition';
import { Injectable } from '@nestjs/common';

type MissingFixtures = (workspaceId: string, names: readonly string[]) => Promise<ReadonlySet<string>>;

/** This lib does not depend on the files lib, so the evaluation lib registers the function that looks them up. */
@Injectable()
export class FixtureDirectoryService {
  private missing: MissingFixtures | undefined;

  lookUpWith(missing: MissingFixtures): void {
    this.missing = missing;
  }

  async warnings(workspaceId: string, mentions: readonly FixtureMention[]): Promise<DefinitionWarning[]> {
    const names = [...new Set(mentions.map(({ fixture }) => fixture))];
    if (!this.missing || names.length === 0) return [];
    const missing = await this.missing(workspaceId, names);
    return mentions
      .filter(({ fixture }) => missing.has(fixture))
      .map(({ fixture, place }) => ({
        ...place(),
        detail: `There is no fixture \`${fixture}\`, so the version cannot be evaluated.`,
        suggestion: `Put the file into \`fixtures/\` beside \`aas.yaml\` and run \`aas apply\`, or send it with PUT /v1/fixtures/${fixture}.`,
      }));
  }
}
