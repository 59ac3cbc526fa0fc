import type { CompiledDefinition } from '@app/definition';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import { RunPrivacy } from './run-privacy.js';

/** Whose runs: what was sealed for one agent opens in all of its runs, since replays take recorded steps over. */
export interface AgentAddress {
  workspaceId: string;
  agentId: string;
}

/** Makes what keeps redacted values of runs from being stored as they are. */
@Injectable()
export class RunPrivaciesService {
  constructor(private readonly box: SealedBox) {}

  /** For one run, of the version that it runs. */
  of(address: AgentAddress, { redactPaths }: Pick<CompiledDefinition, 'redactPaths'>): RunPrivacy {
    const cell = redactedCell(address);
    return new RunPrivacy(redactPaths, {
      seal: (text) => this.box.seal(text, cell).toString('base64'),
      open: (sealed) => this.box.openText(Buffer.from(sealed, 'base64'), cell),
      isOutdated: (sealed) =>
        this.box.hasPreviousKeys && this.box.sealedBy(Buffer.from(sealed, 'base64')) === 'previous',
      mayBeOutdated: this.box.hasPreviousKeys,
    });
  }

  /** To open what is stored, whatever version stored it. */
  opener(address: AgentAddress): RunPrivacy {
    return this.of(address, { redactPaths: [] });
  }
}

/** What a redacted value of an agent's runs is sealed for. */
export function redactedCell({ workspaceId, agentId }: AgentAddress): SealedCell {
  return { workspace: workspaceId, table: 'runs', column: 'redacted', row: agentId };
}
