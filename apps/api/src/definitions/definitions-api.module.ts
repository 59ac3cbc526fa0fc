import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { parseDefinition } from '@app/definition';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from '@app/agents';
import { DefinitionsController } from './definitions.controller.js';

const SMALL_DEFINITION = `name: warm-up
input: { type: object, properties: { name: { type: string } } }
steps: [{ id: result, output: { greeting: "Hello \${{ input.name }}" } }]`;

@Module({ controllers: [DefinitionsController] })
export class DefinitionsApiModule implements OnApplicationBootstrap {
  constructor(@Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig) {}

  /**
   * Compiles the schema of the definition format before the API listens, by parsing a small definition. Otherwise the
   * first request would be slow.
   */
  onApplicationBootstrap(): void {
    parseDefinition(SMALL_DEFINITION, 'yaml', this.config.definitionLimits);
  }
}
