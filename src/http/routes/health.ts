import type { FastifyInstance } from 'fastify';
import { metricsText, RequestCounts } from '../metrics.ts';
import type { HttpServices } from '../services.ts';

/** What watches the bridge asks: /healthz, /readyz and /metrics. @param live number of clients of the live stream */
export function healthRoutes(app: FastifyInstance, services: HttpServices, live: () => number): void {
  const requests = new RequestCounts();
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    requests.add(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });

  // Probes have no token, and are told nothing that would need one.
  const config = { open: true };

  app.get('/healthz', { config }, async (_request, reply) => {
    const runs = await services.alive();
    return reply
      .code(runs ? 200 : 503)
      .send(runs ? { status: 'ok', message: null } : { status: 'error', message: 'The control loop does not run.' });
  });

  app.get('/readyz', { config }, async (_request, reply) => {
    const { all } = services.arms;
    const missing = all.filter((arm) => !arm.detached && arm.read().state === 'disconnected').length;
    return reply.code(missing === 0 ? 200 : 503).send({
      status: missing === 0 ? 'ok' : 'error',
      message: missing === 0 ? null : `${missing} of ${all.length} arms are disconnected.`,
    });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metricsText(services, requests, live())),
  );
}
