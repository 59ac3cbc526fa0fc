/**
 * Requests the rows of the page while the browser still loads the code of the console. This file is a script of its
 * own, so it imports nothing. `watchedFetch` takes the response when the page asks for the same rows.
 */
declare global {
  var firstRequest: { url: string; response: Promise<Response> } | undefined;
}

if (location.search === '') {
  const path = { '/console/': '/v1/runs?limit=8&mode=production', '/console/runs': '/v1/runs?limit=50' }[
    location.pathname
  ];
  if (path !== undefined) {
    const response = fetch(path, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(60_000) });
    // The page reports the error when it takes the response.
    response.catch(() => undefined);
    globalThis.firstRequest = { url: location.origin + path, response };
  }
}

export {};
