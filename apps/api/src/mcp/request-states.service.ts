import { Injectable } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Clock } from '@app/kernel';
import { SealedBox, type SealedCell } from '@app/platform/crypto';
import type { Principal } from '@app/workspace';

const LIFE_MILLIS = 3_600_000;

/** What the server remembers between a call and its repetition. The client keeps it, and cannot read it. */
export interface CallState {
  run: string;
  tool: string;
  /** Keys of the requests that the client has asked its user. */
  asked: readonly string[];
}

@Injectable()
export class RequestStatesService {
  constructor(
    private readonly box: SealedBox,
    private readonly clock: Clock,
  ) {}

  seal(principal: Principal, state: CallState): string {
    const text = JSON.stringify({ ...state, until: this.clock.now().getTime() + LIFE_MILLIS });
    return this.box.seal(text, cellOf(principal)).toString('base64url');
  }

  /** @throws ProtocolError -32602 if the state is damaged, expired, or of another member or tool */
  open(principal: Principal, tool: string, sealed: string): CallState {
    const state = this.opened(principal, sealed);
    if (state && state.tool === tool && state.until > this.clock.now().getTime()) return state;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'The requestState is not valid for this call, or has expired.',
    );
  }

  private opened(principal: Principal, sealed: string): (CallState & { until: number }) | undefined {
    try {
      const text = this.box.openText(Buffer.from(sealed, 'base64url'), cellOf(principal));
      return JSON.parse(text) as CallState & { until: number };
    } catch {
      return undefined;
    }
  }
}

function cellOf({ workspaceId, memberId }: Principal): SealedCell {
  return { workspace: workspaceId, table: 'mcp', column: 'request_state', row: memberId };
}
