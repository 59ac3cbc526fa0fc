import type { CompiledDefinition } from '@app/definition';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import { Injectable } from '@nestjs/common';
import { RunPrivacy } from './run-privacy.js';

/**
 * Address for which redacted values are sealed. All runs of an agent share the address, because replays copy recorded
 * steps from run to run.
 */
export interface AgentAddress {
  workspaceId: string;
  agentId: string;
}

@Injectable()
export class RunPrivaciesService {
  constructor(private readonly box: SealedBox) {}

  /** Returns the redaction rules of one run, from the definition of its version. */
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

  /** Returns a `RunPrivacy` that decrypts stored values of any version. */
  opener(address: AgentAddress): RunPrivacy {
    return this.of(address, { redactPaths: [] });
  }
}

export function redactedCell({ workspaceId, agentId }: AgentAddress): SealedCell {
  return { workspace: workspaceId, table: 'runs', column: 'redacted', row: agentId };
}
