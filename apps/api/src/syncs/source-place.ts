import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { invariant } from '@app/kernel';
import type { SyncPlace } from '@app/knowledge';
import { idInPath, idInput, requestOf } from '../http/request-decorators.js';
import { type RouteInput, routeInput } from '../http/route-inputs.js';

export type PlacedSource = Omit<SyncPlace, 'syncId'>;

const SOURCE = [idInput('id', 'knowledgeBase'), idInput('source_id', 'source')];

const sourceOfPath = createParamDecorator((_: unknown, context: ExecutionContext) => placeOf(context));

const syncOfPath = createParamDecorator((_: unknown, context: ExecutionContext): SyncPlace => {
  return { ...placeOf(context), syncId: idInPath(requestOf(context), 'sync_id', 'sync') };
});

/** Injects the ids of a source in the path. A malformed id gets the same error as an unknown id. */
export const SourceOfPath = (): ParameterDecorator => routeInput(sourceOfPath(), together(SOURCE));

export const SyncOfPath = (): ParameterDecorator =>
  routeInput(syncOfPath(), together([...SOURCE, idInput('sync_id', 'sync')]));

function placeOf(context: ExecutionContext): PlacedSource {
  const request = requestOf(context);
  const { principal } = request;
  invariant(principal, 'a route of a source requires a key');
  const knowledgeBaseId = idInPath(request, 'id', 'knowledgeBase');
  return { workspaceId: principal.workspaceId, knowledgeBaseId, id: idInPath(request, 'source_id', 'source') };
}

function together(inputs: readonly RouteInput[]): RouteInput {
  return {
    parts: inputs.flatMap(({ parts = [] }) => parts),
    ids: inputs.flatMap(({ ids = [] }) => ids),
    problems: ['not_found'],
  };
}
