import type { SyncPlace } from '@app/knowledge';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type IdKind, invariant, isId } from '@app/kernel';
import type { ApiRequest } from '../http/api-request.js';
import { unknownId } from '../http/request-decorators.js';

export type PlacedSource = Omit<SyncPlace, 'syncId'>;

/** Where the source of the path is. Malformed ids are answered like unknown ones. */
export const SourceOfPath = createParamDecorator((_: unknown, context: ExecutionContext): PlacedSource => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  const { principal } = request;
  invariant(principal, 'a route of a source requires a key');
  const knowledgeBaseId = idOf(request, 'id', 'knowledgeBase');
  return { workspaceId: principal.workspaceId, knowledgeBaseId, id: idOf(request, 'source_id', 'source') };
});

/** Where the sync of the path is. */
export const SyncOfPath = createParamDecorator((_: unknown, context: ExecutionContext): SyncPlace => {
  const request = context.switchToHttp().getRequest<ApiRequest>();
  const { principal } = request;
  invariant(principal, 'a route of a sync requires a key');
  const knowledgeBaseId = idOf(request, 'id', 'knowledgeBase');
  const id = idOf(request, 'source_id', 'source');
  return { workspaceId: principal.workspaceId, knowledgeBaseId, id, syncId: idOf(request, 'sync_id', 'sync') };
});

function idOf({ params }: ApiRequest, parameter: string, kind: IdKind): string {
  const value = params[parameter];
  if (isId(kind, value)) return value;
  throw unknownId(kind, String(value));
}
