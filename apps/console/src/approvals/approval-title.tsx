import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { aas, type Approval } from '../data/api.js';
import { approvalTitle } from './approval-view.js';
import { type ApprovedOperation, approvedOperation, NO_DETAILS } from './approved-operation.js';

/** Reads the called operation from the definition. All approvals of a version share one request. */
export function useOperation({ agent, version, tool, kind }: Approval): ApprovedOperation {
  const { data } = useQuery({
    queryKey: ['agent', agent, 'versions', version],
    queryFn: () => aas.versions.get(agent, version),
    staleTime: Infinity,
    enabled: kind === 'tool_call',
  });
  return data === undefined ? NO_DETAILS : approvedOperation(data.definition, tool);
}

export function ApprovalTitle({ approval }: { approval: Approval }): ReactNode {
  return approvalTitle(approval, useOperation(approval).summary);
}
