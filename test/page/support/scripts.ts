/** Scripts that tests run in the page. */

/** Notes what the page sends while a key is still being handled. Before the stop's own listener, which lets no other see its keys. */
export const WATCH_KEYS = `
  window.sentByKey = [];
  let handling = false;
  addEventListener('keydown', () => { handling = true; setTimeout(() => { handling = false }); }, true);
  const { fetch, WebSocket: { prototype } } = window;
  const { send } = prototype;
  window.fetch = (path, ...rest) => { if (handling) window.sentByKey.push(String(path)); return fetch(path, ...rest); };
  prototype.send = function (text) { if (handling) window.sentByKey.push(text); return send.call(this, text); };
`;
/** Keeps the page's WebSockets at hand. */
export const SOCKETS = `
  window.sockets = [];
  window.WebSocket = class extends window.WebSocket { constructor(...args) { super(...args); window.sockets.push(this); } };
`;
/** Ends all connections but the stop's. */
export const LOSE = `for (const socket of window.sockets) if (!socket.url.endsWith('/api/v1/stop')) socket.close();`;
/** Ends all connections but the stop's, lets no new one be had, and nothing be drawn, until `window.mend()`. */
export const BREAK = `
  const { WebSocket, requestAnimationFrame } = window;
  const waiting = [];
  window.mend = () => {
    Object.assign(window, { WebSocket, requestAnimationFrame });
    for (const draw of waiting) requestAnimationFrame(draw);
  };
  window.WebSocket = class extends WebSocket { constructor(...args) { super(...args); this.close(); } };
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  ${LOSE}
`;
/** The display has two frames a second, as where a slow processor draws. */
export const SLOW_FRAMES = `
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 500);
`;
/**
 * The processor that draws here is spared shadows and smooth edges; pictures for the documents are as others see the page. They
 * are drawn twice a second, so that the processor drives the arms besides.
 */
export const DRAW_FULLY = `
  ${SLOW_FRAMES}
  const { getExtension } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getExtension = function (name) {
    return name === 'WEBGL_debug_renderer_info' ? null : getExtension.call(this, name);
  };
  WebGL2RenderingContext.prototype.readPixels = () => {};
`;
/** A browser without WebGL. */
export const NO_WEBGL = `
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return /webgl/.test(kind) ? null : getContext.call(this, kind, ...rest);
  };
`;
