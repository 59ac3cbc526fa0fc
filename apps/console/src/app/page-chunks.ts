import { lazyRouteComponent } from '@tanstack/react-router';
import { CodeNotLoaded, untilConnected, watchedFetch } from '../data/connection.js';

type Importer<Module> = () => Promise<Module>;

const all: Importer<unknown>[] = [];

/** A page whose code is loaded when it is opened, or earlier by {@link loadPagesAhead}. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: Importer<Module>,
  name: Name,
): ReturnType<typeof lazyRouteComponent<Module, Name>> {
  all.push(load);
  const importer = (): Promise<Module> =>
    load().catch(async (cause: unknown) => {
      // Learns whether the connection is lost, because the browser loads code without `watchedFetch`.
      await watchedFetch('/healthz').catch(() => undefined);
      throw new CodeNotLoaded(cause);
    });
  return lazyRouteComponent(importer, name);
}

/** Milliseconds after the first click or key. The first page and the page that follows it then have loaded. */
const AHEAD_MILLIS = 10_000;

/**
 * Some time after the person has begun to use the console, loads the code of all pages, so that each page opens without
 * a connection. An unused tab loads nothing.
 */
export function loadPagesAhead(): void {
  const used = new AbortController();
  const begin = (): void => {
    used.abort();
    setTimeout(() => void loadAll(), AHEAD_MILLIS);
  };
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, begin, { signal: used.signal });
}

async function loadAll(): Promise<void> {
  for (const load of all) {
    await untilConnected();
    await load().catch(() => undefined);
  }
}
