import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  presentTrace,
  type RunEntity,
  type RunChange,
  RunQueriesService,
  RunTextsService,
  RunWatcherService,
} from '@app/runs';
import { EventStream, readLastEventId } from '../http/event-stream.js';
import { EventStreamsService } from '../http/event-streams.service.js';
import type { ApiRequest } from '../http/request-context.js';

/**
 * Streams a run while it is executed. The id of an event is a position in the trace. All steps up to this position were
 * sent in their final state, so a reader that continues after this position misses nothing. A step that has not ended
 * is sent again when it changes, with the same or a higher id. The text of a model is also streamed while it is
 * generated. These events have the type `text` and no id. Their data is `{run, n, path, text}`. `text` is a part of the
 * response of the model at position `n` of the trace. The step with the complete response follows.
 */
@Injectable()
export class LiveViewService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly watcher: RunWatcherService,
    private readonly texts: RunTextsService,
    private readonly streams: EventStreamsService,
  ) {}

  /**
   * Responds with the events of a run until it ends or the reader disconnects. Begins after the `Last-Event-ID` of the
   * reader, or, without this header, after position `afterN`. A reader that has already received the last event gets
   * 204, so that it does not reconnect.
   * @throws DomainError `not_found`, `invalid_request`, `unavailable`
   */
  async serve(
    request: ApiRequest,
    response: Response,
    view: { workspaceId: string; runId: string; afterN: number },
  ): Promise<void> {
    const run = await this.queries.get(view.workspaceId, view.runId);
    const after = readLastEventId(request) ?? view.afterN;
    if (after === 'end') {
      response.status(204).end();
      return;
    }
    const stream = this.streams.begin(request, response, 'runs:read');
    for (const step of presentTrace({ run, steps: [] }, { afterN: after }).steps) {
      await stream.send({ event: 'step', id: String(step.n), data: step });
    }
    this.texts.followText(run.id, (text) => stream.offer({ event: 'text', data: text }), stream.signal);
    for await (const change of this.watcher.followRun(run.id, after, stream.signal)) {
      await sendChange(stream, run, change);
    }
    stream.end();
  }
}

async function sendChange(stream: EventStream, run: RunEntity, change: RunChange): Promise<void> {
  const { steps, status, resumesAfter, ended } = change;
  for (const { step, resumesAfter: id } of steps) {
    for (const data of presentTrace({ run, steps: [step] }, { afterN: step.n }).steps) {
      await stream.send({ event: 'step', id: String(id), data });
    }
  }
  if (status) await stream.send({ event: 'status', id: String(resumesAfter), data: { run: run.id, status } });
  if (ended) await stream.send({ event: 'end', id: 'end', data: { run: run.id } });
}
