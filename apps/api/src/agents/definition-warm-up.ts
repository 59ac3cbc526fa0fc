import { parseDefinition } from '@app/definition';
import { ENV, type Env } from '@app/platform/config';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const SMALL_DEFINITION = `name: warm-up
input: { type: object, properties: { name: { type: string } } }
steps: [{ id: result, output: { greeting: "Hello \${{ input.name }}" } }]`;

/** Checks one definition before the api listens: the check of the format compiles at its first use, which takes a while. */
@Injectable()
export class DefinitionWarmUp implements OnApplicationBootstrap {
  constructor(@Inject(ENV) private readonly env: Pick<Env, 'definitionLimits'>) {}

  onApplicationBootstrap(): void {
    parseDefinition(SMALL_DEFINITION, 'yaml', this.env.definitionLimits);
  }
}
