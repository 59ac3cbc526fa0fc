import { parseDefinition } from '@app/agents/definition';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

const SMALL_DEFINITION = `name: warm-up
input: { type: object, properties: { name: { type: string } } }
steps: [{ id: result, output: { greeting: "Hello \${{ input.name }}" } }]`;

/** Checks one definition before the api listens: the check of the format compiles at its first use, which takes a while. */
@Injectable()
export class DefinitionWarmUp implements OnApplicationBootstrap {
  onApplicationBootstrap(): void {
    parseDefinition(SMALL_DEFINITION, 'yaml');
  }
}
