import { Injectable } from '@nestjs/common';
import { DefinitionReaderService, type DefinitionSource, type ValidatedDefinition } from '@app/agents';
import { agentsOf, type Principal } from '@app/workspace';

/** Validates definitions for a caller. */
@Injectable()
export class DefinitionChecksService {
  constructor(private readonly reader: DefinitionReaderService) {}

  /**
   * The checks at tool servers send the secrets of the definition to these servers. They are made only for callers who
   * may create agents: they could send the secrets by a run, too.
   */
  validate(principal: Principal, definition: DefinitionSource): Promise<ValidatedDefinition> {
    const mayCreate = principal.scopes.has('agents:write') && agentsOf(principal) === null;
    return this.reader.validate(principal.workspaceId, definition, mayCreate);
  }
}
