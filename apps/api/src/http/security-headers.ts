import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers for answers that no browser should render, frame or keep. HSTS is left to the proxy that terminates TLS. The
 * documentation page replaces the content policy by its own.
 */
export function securityHeaders(): RequestHandler {
  const harden = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    strictTransportSecurity: false,
    frameguard: { action: 'deny' },
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    harden(request, response, next);
  };
}
