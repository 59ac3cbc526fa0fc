import type { CompiledDefinition } from '@app/definition';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import { RunPrivacy } from './run-privacy.js';

/**
 * Identifies the agent for which redacted values are encrypted. The run is not part of the identity, because a replay
 * copies encrypted values from another run of the agent.
 */
export interface AgentAddress {
  workspaceId: string;
  agentId: string;
}

@Injectable()
export class RunPrivaciesService {
  constructor(private readonly box: SealedBox) {}

  /** Returns a `RunPrivacy` with the redaction rules of one version, for the runs of this version. */
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

  /** Returns a `RunPrivacy` that decrypts the stored values of all versions. */
  opener(address: AgentAddress): RunPrivacy {
    return this.of(address, { redactPaths: [] });
  }
}

export function redactedCell({ workspaceId, agentId }: AgentAddress): SealedCell {
  return { workspace: workspaceId, table: 'runs', column: 'redacted', row: agentId };
}
