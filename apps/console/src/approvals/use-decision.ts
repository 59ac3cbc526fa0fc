import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { aas, ApiError, type Approval } from '../data/api.js';
import { queryClient } from '../data/query-client.js';
import { approvalKey, type Decision, fieldText, fieldValue } from './approval-view.js';

interface Sent {
  decision: Decision;
  comment: string;
  /** Texts of the form fields, by field name. Null if the person is not editing the request. */
  edited: Record<string, string> | null;
  /** The answer, if the approval asks a question. */
  answer?: Record<string, unknown>;
}

/**
 * Returns a mutation that sends a decision about the request revision in `approval`. If the request has changed, the
 * service rejects the decision, and `onChanged` is called with the latest approval.
 */
export function useDecision(
  approval: Approval,
  onChanged?: (latest: Approval) => void,
): UseMutationResult<Awaited<ReturnType<typeof aas.approvals.decide>>, Error, Sent> {
  return useMutation({
    mutationFn: ({ decision, comment, edited, answer }: Sent) =>
      aas.approvals.decide(approval, {
        decision,
        ...(comment.trim() !== '' && { comment: comment.trim() }),
        ...(decision === 'edit' && { request: editedRequest(approval, edited ?? {}) }),
        ...(answer && { answer }),
      }),
    onError: async (error) => {
      if (!isStale(error)) return;
      const latest = await aas.approvals.get(approval.id);
      queryClient.setQueryData(approvalKey(approval.id), latest);
      if (latest.request_revision !== approval.request_revision) onChanged?.(latest);
    },
    onSettled: () =>
      Promise.all(
        [['approvals'], ['run', approval.run]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
}

/**
 * Returns whether the service rejected a decision because the approval was edited or decided after the person opened
 * it. The page then shows the change instead of the error.
 */
export function isStale(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 412 || error.code === 'approval_already_decided');
}

type RequestBody = NonNullable<Parameters<typeof aas.approvals.decide>[1]['request']>;

function editedRequest(approval: Approval, edited: Readonly<Record<string, string>>): RequestBody {
  const before = Object.entries(approval.request ?? {});
  return Object.fromEntries(before.map(([name, value]) => [name, fieldValue(edited[name] ?? fieldText(value), value)]));
}
