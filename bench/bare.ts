/**
 * A server of Fastify and nothing else: reads JSON and answers each path with the text that it was given. What the bridge's
 * interface costs shows beside it.
 */
import fastify from 'fastify';

const [port, answers] = process.argv.slice(2) as [string, string];
const app = fastify();
app.get('/status', async () => ({ status: 'ok' }));
for (const [path, text] of Object.entries(JSON.parse(answers) as Readonly<Record<string, string>>)) {
  app.post(path, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(text);
  });
}
await app.listen({ host: '127.0.0.1', port: Number(port) });
