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
    const { enabled: wished } = services.configuration().ros;
    const rosOff = wished !== false && !services.ros().enabled;
    const lacks = [
      ...(missing === 0 ? [] : [`${missing} of ${all.length} arms are disconnected.`]),
      ...(wished === true && rosOff ? ['ROS 2 is off, and ros.enabled demands it.'] : []),
    ];
    if (lacks.length > 0) return reply.code(503).send({ status: 'error', message: lacks.join(' ') });
    return reply.send({ status: 'ok', message: rosOff ? 'ROS 2 is off: HTTP alone is served.' : null });
  });

  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(metricsText(services, requests, live())),
  );
}
