import { KnowledgeDirectory } from '@app/agents';
import { KnowledgeBases } from '@app/knowledge';
import { Injectable } from '@nestjs/common';

/** Lets agents ask whether the knowledge bases that their definitions name are there: neither lib knows the other. */
@Injectable()
export class KnowledgeLookup {
  constructor(directory: KnowledgeDirectory, bases: KnowledgeBases) {
    directory.askedOf((workspaceId, names) => bases.unknownAmong(workspaceId, names));
  }
}
