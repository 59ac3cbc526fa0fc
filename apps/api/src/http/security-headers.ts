import helmet from 'helmet';
import type { Middleware } from './request-context.js';

/**
 * Security headers for responses that no browser should render, frame or store. The proxy that terminates TLS sets
 * HSTS. The reference page at `/docs` replaces the Content Security Policy.
 */
export function securityHeaders(): Middleware {
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
    harden(request, response, () => next());
  };
}
